# SPDX-License-Identifier: MIT
# The constructor raises an exception. expected: build_error: construct: ValueError: no
from torch import nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        raise ValueError("no")

    def forward(self, x):
        return x
