# SPDX-License-Identifier: MIT
"""The waiting kernel (hold.ptx), as src/device/cuda/cuda_hold.c has it: comes when the judge has the content
ready, fills the device and spins until the judge releases it on the shared page."""
import ctypes
import os

from . import wire

DEVICE_MAP = 2
MULTIPROCESSORS, THREADS_PER_MULTIPROCESSOR = 16, 39
MAX_BLOCK_THREADS = 1024
PAGE_BYTES = 4096
OWN_WORDS = 6
WAIT_VALUE_GEQ = 0


class Hold:
    def __init__(self, cu, device, page):
        self.cu, self.page = cu, page
        self.blocks, self.threads = self.shape(device)
        base = self.map_page()
        self.ready = ctypes.c_uint64(base + wire.Page.ready.offset)
        self.own = ctypes.c_uint64()
        cu.cuMemAlloc_v2(ctypes.byref(self.own), ctypes.c_size_t(4 * OWN_WORDS))
        cu.cuMemsetD32_v2(self.own, 0, ctypes.c_size_t(OWN_WORDS))
        self.kernel = self.load()
        self.seq = ctypes.c_uint32()
        self.keep = [ctypes.c_uint64(base + wire.Page.release.offset), self.own,
                     ctypes.c_uint64(base + wire.Page.holding.offset), self.seq,
                     ctypes.c_uint64(wire.HOLD_MS * 1000000), ctypes.c_uint64(),
                     ctypes.c_uint64(), ctypes.c_uint64()]  # the last: no stamp of the release
        self.args = (ctypes.c_void_p * len(self.keep))(*map(ctypes.addressof, self.keep))

    def shape(self, device):
        """An SM's threads in blocks of at most 1024."""
        sms, per_sm = ctypes.c_int(), ctypes.c_int()
        self.cu.cuDeviceGetAttribute(ctypes.byref(sms), MULTIPROCESSORS, device)
        self.cu.cuDeviceGetAttribute(ctypes.byref(per_sm), THREADS_PER_MULTIPROCESSOR, device)
        blocks = -(-per_sm.value // MAX_BLOCK_THREADS)
        return sms.value * blocks, per_sm.value // blocks

    def map_page(self):
        """Where the device sees the shared page."""
        at, seen = ctypes.c_void_p(ctypes.addressof(self.page)), ctypes.c_uint64()
        self.cu.cuMemHostRegister_v2(at, ctypes.c_size_t(PAGE_BYTES), DEVICE_MAP)
        self.cu.cuMemHostGetDevicePointer_v2(ctypes.byref(seen), at, 0)
        return seen.value

    def load(self):
        module, kernel = ctypes.c_void_p(), ctypes.c_void_p()
        with open(os.path.join(os.path.dirname(__file__), "hold.ptx"), "rb") as text:
            self.cu.cuModuleLoadData(ctypes.byref(module), ctypes.c_char_p(text.read()))
        self.cu.cuModuleGetFunction(ctypes.byref(kernel), module, ctypes.c_char_p(b"hold"))
        return kernel

    def sweep(self, at, size):
        """What it reads before it says that it waits."""
        self.keep[-3].value, self.keep[-2].value = at, size

    def begin(self, how, seq, stream):
        """Queues it; with HOLD_CALL, returns with the release."""
        self.seq.value = seq
        self.cu.cuStreamWaitValue32_v2(stream, self.ready, ctypes.c_uint32(seq), WAIT_VALUE_GEQ)
        self.cu.cuLaunchKernel(self.kernel, self.blocks, 1, 1, self.threads, 1, 1, 0, stream,
                               self.args, None)
        if how == wire.HOLD_CALL:
            self.tell()
            while self.page.release != seq:
                pass

    def tell(self):
        """All is queued: the content may come."""
        self.page.queued = self.seq.value
