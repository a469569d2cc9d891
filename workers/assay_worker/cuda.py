# SPDX-License-Identifier: MIT
"""The cuda device, as src/device/cuda/cuda_runner.c has it: an ordinary blocking stream of the primary
context, which is torch's too; two events around the calls, behind the waiting kernel where the judge
asks for it; the whole context is waited for."""
import ctypes

import torch

from . import hold, wire

POSIX_FD = 1
ON_DEVICE = 1
PINNED = 1
ACCESS_READ, ACCESS_READ_WRITE = 1, 3
LIMIT_PERSISTING_L2 = 6
UNSUPPORTED_LIMIT = 215
# Calls that are queued before the judge is told so: the driver's queue takes about a thousand launches.
HELD_CALLS = 16


class Location(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("id", ctypes.c_int)]


class Prop(ctypes.Structure):  # CUmemAllocationProp
    _fields_ = [
        ("type", ctypes.c_int),
        ("handle_types", ctypes.c_int),
        ("location", Location),
        ("win32", ctypes.c_void_p),
        ("flags", ctypes.c_ubyte * 8),
    ]


class Access(ctypes.Structure):  # CUmemAccessDesc
    _fields_ = [("location", Location), ("flags", ctypes.c_int)]


class Driver:
    """libcuda; a call that fails raises with the driver's name for it."""

    def __init__(self):
        self.lib = ctypes.CDLL("libcuda.so.1")

    def text(self, status):
        name, text = ctypes.c_char_p(), ctypes.c_char_p()
        self.lib.cuGetErrorName(status, ctypes.byref(name))
        self.lib.cuGetErrorString(status, ctypes.byref(text))
        return f"{(name.value or b'CUDA_ERROR_UNKNOWN').decode()}: {(text.value or b'').decode()}"

    def __getattr__(self, name):
        function = getattr(self.lib, name)

        def checked(*args):
            status = function(*args)
            if status:
                raise CudaError(f"{self.text(status)} ({name})")

        setattr(self, name, checked)
        return checked


class CudaError(RuntimeError):
    """ "CUDA_ERROR_X: text" """


class Span:
    """Device memory in the form that torch.as_tensor() takes without a copy."""

    def __init__(self, at, size):
        self.__cuda_array_interface__ = {
            "shape": (size,),
            "typestr": "|u1",
            "data": (at, False),
            "version": 3,
        }


class Cuda:
    def __init__(self, index):
        self.cu, self.index = Driver(), index
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.cu.cuInit(0)
        self.cu.cuDeviceGet(ctypes.byref(device), index)
        self.cu.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)
        self.cu.cuCtxSetCurrent(context)
        self.device, self.context = device.value, context
        self.forget_persisting_lines()
        torch.cuda.set_device(index)
        self.open_stream()
        self.granularity = self.ask_granularity()

    def forget_persisting_lines(self):
        """Or lines marked as persisting would survive the judge's flush."""
        status = self.cu.lib.cuCtxSetLimit(LIMIT_PERSISTING_L2, ctypes.c_size_t(0))
        if status not in (0, UNSUPPORTED_LIMIT):
            raise CudaError(self.cu.text(status))

    def open_stream(self):
        self.stream, self.start, self.end = (ctypes.c_void_p() for _ in range(3))
        self.cu.cuStreamCreate(ctypes.byref(self.stream), 0)
        self.cu.cuEventCreate(ctypes.byref(self.start), 0)
        self.cu.cuEventCreate(ctypes.byref(self.end), 0)
        torch.cuda.set_stream(torch.cuda.ExternalStream(self.stream.value, device=self.index))

    def ask_granularity(self):
        size = ctypes.c_size_t()
        prop = Prop(type=PINNED, handle_types=POSIX_FD, location=Location(ON_DEVICE, self.device))
        self.cu.cuMemGetAllocationGranularity(ctypes.byref(size), ctypes.byref(prop), 0)
        return size.value

    def map(self, fd, size, read_only):
        """Where the judge's memory lies. Mapped for as long as this process lives."""
        handle, at = ctypes.c_uint64(), ctypes.c_uint64()
        padded = ctypes.c_size_t(-(-size // self.granularity) * self.granularity)
        access = Access(Location(ON_DEVICE, self.device),
                        ACCESS_READ if read_only else ACCESS_READ_WRITE)
        self.cu.cuMemImportFromShareableHandle(
            ctypes.byref(handle), ctypes.c_void_p(fd), POSIX_FD)
        self.cu.cuMemAddressReserve(
            ctypes.byref(at), padded, ctypes.c_size_t(0), ctypes.c_uint64(0), ctypes.c_uint64(0))
        self.cu.cuMemMap(at, padded, ctypes.c_size_t(0), handle, ctypes.c_uint64(0))
        self.cu.cuMemSetAccess(at, padded, ctypes.byref(access), ctypes.c_size_t(1))
        self.cu.cuMemRelease(handle)  # the mapping keeps the memory
        return at.value

    def arena(self, fd, size, read_only):
        """The arena's bytes as one tensor."""
        return torch.as_tensor(Span(self.map(fd, size, read_only), size),
                               device=f"cuda:{self.index}")

    def take_sweep(self, fd, size):
        """What the waiting kernel reads, so that the caches hold nothing of ours."""
        self.hold.sweep(self.map(fd, size, True), size)

    def share(self, page):
        """Whether orders can be held back; where not, the page says why."""
        try:
            self.hold = hold.Hold(self.cu, self.device, page)
        except CudaError as error:
            page.error = str(error).encode()[: wire.ERROR_MAX]
            return False
        return True

    def queue(self, call, count, held):
        result = None
        self.cu.cuEventRecord(self.start, self.stream)
        for i in range(count):
            if held and i == HELD_CALLS:
                self.hold.tell()
            result = call()
        self.cu.cuEventRecord(self.end, self.stream)
        if held:
            self.hold.tell()
        return result

    def run(self, call, count, keep, how=wire.HOLD_NONE, seq=0):
        """call() count times, then keep() of what the last one returned. Returns ns of the calls
        by the device's events."""
        ms = ctypes.c_float()
        if how != wire.HOLD_NONE:
            self.hold.begin(how, seq, self.stream)
        result = self.queue(call, count, how == wire.HOLD_WORK)
        if count:
            keep(result)
        self.cu.cuStreamSynchronize(self.stream)
        self.cu.cuCtxSynchronize()
        self.cu.cuEventElapsedTime(ctypes.byref(ms), self.start, self.end)
        return round(ms.value * 1e6)
