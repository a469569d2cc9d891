# SPDX-License-Identifier: MIT
# Changes mode and times of files outside its folder, which the user who judges may own: they would be a channel to other
# candidates. Such calls have no effect. Had one changed a file, the import would fail. expected: pass
import os
import stat

import torch
from torch import nn


def state(path):
    found = os.stat(path)
    return stat.S_IMODE(found.st_mode), found.st_mtime_ns


CHANGED = []
for path in ("/tmp/assay-attack-owned", "/tmp", "/usr/lib/os-release"):
    try:
        before = state(path)
        os.chmod(path, before[0] ^ 1)
        os.utime(path, (1, 2))
    except OSError as error:
        print(path, error)
        continue
    if state(path) != before:
        CHANGED.append(path)
if CHANGED:
    raise RuntimeError(f"changed {CHANGED}")


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
