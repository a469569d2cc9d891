# SPDX-License-Identifier: MIT
# An exception whose text cannot be made, in a call. expected: crash: PYTHON: call: Bad
from torch import nn


class Bad(Exception):
    def __str__(self):
        raise ValueError


class ModelNew(nn.Module):
    def forward(self, x):
        raise Bad
