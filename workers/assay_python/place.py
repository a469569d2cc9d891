# SPDX-License-Identifier: MIT
"""Where tensors of a candidate lie: memory of the host, or of a GPU."""
import ctypes
import os

import torch


class Host:
    kind, device = "cpu", torch.device("cpu")

    def open(self, index):
        pass

    def synchronize(self):
        pass

    def bytes_at(self, address, size):
        return torch.frombuffer((ctypes.c_char * size).from_address(address), dtype=torch.uint8)


class Span:
    """Device memory in the form that torch.as_tensor() takes without a copy."""

    def __init__(self, address, size):
        self.__cuda_array_interface__ = {"shape": (size,), "typestr": "|u1", "data": (address, False), "version": 3}


class Cuda:
    """The legacy default stream is torch's own choice, and the one that is held and timed."""

    kind = "cuda"

    def open(self, index):
        """Makes what torch would otherwise make in a candidate's first calls, and in its memory."""
        # The zygote was not to start CUDA; here it runs, and tells how many devices there are.
        os.environ.pop("PYTORCH_NVML_BASED_CUDA_CHECK", None)
        self.device = torch.device("cuda", index)
        torch.cuda.set_device(index)
        torch.cuda._cached_device_count = torch._C._cuda_getDeviceCount()
        torch.zeros(1, device=self.device)
        torch.cuda.current_blas_handle()
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
        torch.cuda.synchronize()

    def synchronize(self):
        torch.cuda.synchronize()

    def bytes_at(self, address, size):
        return torch.as_tensor(Span(address, size), device=self.device)


PLACES = {place.kind: place for place in (Host, Cuda)}
