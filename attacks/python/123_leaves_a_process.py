# SPDX-License-Identifier: MIT
# Leaves a process behind while it is imported, which would know the first contents and answer for the others. Every
# way to make one is refused: had one worked, the import would fail. expected: pass
import ctypes
import multiprocessing
import os
import subprocess

import torch
from torch import nn


libc = ctypes.CDLL(None)
CLONE, CLONE3, CLONE_PARENT, SIGCHLD = 56, 435, 0x8000, 17
size, fields = 88, (ctypes.c_uint64 * 11)()


def works(attempt):
    try:
        return attempt()
    except OSError:
        return False


attempts = [
    lambda: os.fork() >= 0,
    lambda: os.forkpty()[0] >= 0,
    lambda: os.posix_spawn("/bin/true", ["true"], {}) > 0,
    lambda: subprocess.Popen(["/bin/true"]).pid > 0,
    lambda: multiprocessing.get_context("fork").Process(target=int).start() is None,
    lambda: libc.syscall(CLONE, SIGCHLD, None, None, None, None) >= 0,
    lambda: libc.syscall(CLONE, CLONE_PARENT | SIGCHLD, None, None, None, None) >= 0,
    lambda: libc.syscall(CLONE3, fields, size) >= 0,
]
for i, attempt in enumerate(attempts):
    if works(attempt):
        raise RuntimeError(f"attempt {i} made a process")


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
