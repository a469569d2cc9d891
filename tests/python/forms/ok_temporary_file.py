# SPDX-License-Identifier: MIT
# Keeps a file in the folder for temporary files. expected: pass
from torch import nn

import tempfile

with tempfile.NamedTemporaryFile("w", delete=False) as file:
    file.write("0.0")


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        with open(file.name) as again:
            self.floor = float(again.read())

    def forward(self, x):
        return x.clamp(min=self.floor)
