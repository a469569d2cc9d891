# SPDX-License-Identifier: MIT
# Wants signals by timer, whose handler would work between calls. Timers with signals are refused: had one been set,
# the import would fail. expected: pass
import ctypes
import signal

import torch
from torch import nn


libc = ctypes.CDLL(None, use_errno=True)
SIGEV_SIGNAL = 0


class Event(ctypes.Structure):
    _fields_ = [("value", ctypes.c_void_p), ("signal", ctypes.c_int), ("notify", ctypes.c_int), ("rest", ctypes.c_char * 48)]


def works(attempt):
    try:
        return attempt()
    except OSError:
        return False


signal.signal(signal.SIGALRM, lambda *args: None)
interval = (ctypes.c_long * 4)(0, 100, 0, 100)
timer = ctypes.c_void_p()
event = Event(None, signal.SIGALRM, SIGEV_SIGNAL, b"")
attempts = [
    lambda: signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001) is not None,
    lambda: libc.setitimer(0, interval, None) == 0,
    lambda: libc.timer_create(1, ctypes.byref(event), ctypes.byref(timer)) == 0,
    lambda: libc.syscall(37, 1) == 0,  # alarm
]
if any(map(works, attempts)):
    raise RuntimeError("a timer was set")


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
