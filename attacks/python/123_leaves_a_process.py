# SPDX-License-Identifier: MIT
# Leaves a process behind in the rehearsal, which would look at contents and answer for others. It ends with the
# rehearsal. In a judged process every way to make one is refused: had one worked, the import would fail. expected: pass
import ctypes
import multiprocessing
import os
import subprocess
import time

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
MARK = os.path.join(os.path.expanduser("~"), "rehearsed")
if not os.path.exists(MARK):  # in the rehearsal, whose folder the judged processes get
    open(MARK, "w").close()
    if os.fork() == 0:
        time.sleep(600)
        os._exit(0)
else:
    for i, attempt in enumerate(attempts):
        if works(attempt):
            raise RuntimeError(f"attempt {i} made a process")


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
