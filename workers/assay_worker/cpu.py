# SPDX-License-Identifier: MIT
"""The cpu device: arenas are memfds, the clock is the process's own."""
import mmap
import os
import time
import warnings

import torch


class Cpu:
    def __init__(self, index):
        if index != 0:
            raise RuntimeError(f"there is no device cpu:{index}")
        torch.set_num_threads(len(os.sched_getaffinity(0)))

    def arena(self, fd, size, read_only):
        """The arena's bytes as one tensor. It keeps its mapping alive."""
        memory = mmap.mmap(fd, size, mmap.MAP_SHARED, mmap.PROT_READ if read_only else
                           mmap.PROT_READ | mmap.PROT_WRITE)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that an input cannot be written is the point
            return torch.frombuffer(memory, dtype=torch.uint8)

    def run(self, call, count, keep):
        """call() count times, then keep() of what the last one returned. Returns ns of the calls."""
        result = None
        start = time.monotonic_ns()
        for _ in range(count):
            result = call()
        ns = time.monotonic_ns() - start
        if count:
            keep(result)
        return ns
