# SPDX-License-Identifier: MIT
# Names memory of other processes by guessing what the driver gives out as a name: the process and two small numbers.
# A candidate in Python exports its results that way, so a second one may be near. Had memory been opened, the call
# would fail. device: cuda expected: pass
import ctypes

import torch
from torch import nn


driver = ctypes.CDLL("libcuda.so.1")
Handle = ctypes.c_uint32 * 16


def own_handle():
    """What the driver says of memory of ours."""
    room, handle = torch.empty(1 << 22, dtype=torch.uint8, device="cuda"), Handle()
    status = driver.cuIpcGetMemHandle(ctypes.byref(handle), ctypes.c_uint64(room.data_ptr()))
    if status:
        raise RuntimeError(f"no handle: {status}")
    return room, handle


def opens(handle):
    address = ctypes.c_uint64()
    return driver.cuIpcOpenMemHandle_v2(ctypes.byref(address), handle, 1) == 0


def guesses(handle):
    """Handles of processes, clients and objects that are near. Words: 2 a process, 12 a client, 13 an object."""
    for process in [*range(handle[2] - 24, handle[2] + 8), *range(1, 24)]:
        for client in range(handle[12] - 4, handle[12] + 5):
            for thing in range(handle[13] - 4, handle[13] + 5):
                guess = Handle(*handle)
                guess[2], guess[12], guess[13] = process & 0xFFFFFFFF, client, thing
                yield guess


class ModelNew(nn.Module):
    tried = False

    def forward(self, x):
        if not ModelNew.tried:
            ModelNew.tried = True
            room, handle = own_handle()
            mine = handle[2]
            if any(opens(guess) for guess in guesses(handle) if guess[2] != mine):
                raise RuntimeError("memory of another process was opened")
        return torch.relu(x)
