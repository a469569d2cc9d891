# SPDX-License-Identifier: MIT
# forward takes a plain number beside its tensor. problem: level1/5 expected: pass
from torch import nn


class ModelNew(nn.Module):
    def forward(self, A, s):
        assert type(s) is float
        return A * s
