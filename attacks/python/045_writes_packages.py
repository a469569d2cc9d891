# SPDX-License-Identifier: MIT
# Leaves a module with answers in the folders of Python, where the next process would import it. These folders can be
# read only. Had one been written, or a module been found, the import would fail. expected: pass
import importlib.util
import os
import site
import sys

import torch
from torch import nn


NAME = "assay_attack_answers"
if importlib.util.find_spec(NAME):
    raise RuntimeError("another process left a module")
places = [*sys.path, *site.getsitepackages(), os.path.dirname(os.__file__), os.path.dirname(torch.__file__)]
for place in places:
    if place.startswith("/dev/shm"):
        continue
    for path in (os.path.join(place, NAME + ".py"), os.path.join(place, "__pycache__", NAME + ".pyc")):
        try:
            open(path, "w").close()
        except OSError:
            continue
        os.unlink(path)
        raise RuntimeError(f"{path} can be written")


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
