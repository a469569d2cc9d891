# SPDX-License-Identifier: MIT
# Writes modules beside itself that Python would import by itself or in the place of torch, for the next process. Had
# such a module been there before, or been imported, the import would fail. expected: pass
import builtins
import importlib
import os
import sys

import torch
from torch import nn


HERE = os.path.dirname(os.path.abspath(__file__))
USER = os.path.join(HERE, f".local/lib/python3.{sys.version_info.minor}/site-packages")
FILES = ("torch.py", "numpy.py", "assay_python.py", "sitecustomize.py", "usercustomize.py", "attack.pth")

if hasattr(builtins, "assay_attack"):
    raise RuntimeError("a module of another process was imported")
for folder in (HERE, os.path.dirname(HERE), USER, os.getcwd()):
    for name in FILES:
        path = os.path.join(folder, name)
        if os.path.exists(path):
            raise RuntimeError(f"another process left {path}")
for folder in (HERE, os.path.dirname(HERE), USER):
    for name in FILES:
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, name), "w") as file:
            file.write("import builtins; builtins.assay_attack = True\n")
importlib.invalidate_caches()
for name in ("numpy", "torch.nn.functional", "torch.fft"):
    importlib.import_module(name)
if hasattr(builtins, "assay_attack"):
    raise RuntimeError("a file beside the candidate replaced an installed module")


class ModelNew(nn.Module):
    def forward(self, x):
        if hasattr(builtins, "assay_attack"):
            raise RuntimeError("a file beside the candidate was imported")
        return torch.relu(x)
