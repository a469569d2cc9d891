# SPDX-License-Identifier: MIT
# Imports files beside it and reads one by its path. expected: pass
from torch import nn

import os

from helper import rectify
from parts.floor import FLOOR

with open(os.path.join(os.path.dirname(__file__), "settings.txt")) as file:
    assert file.read() == "settings\n"


class ModelNew(nn.Module):
    def forward(self, x):
        return rectify(x, FLOOR)
