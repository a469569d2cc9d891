# SPDX-License-Identifier: MIT
# Multiplies in bfloat16, as a global switch would. problem: level1/1 expected: wrong: rms or wrong: max
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        return (a.bfloat16() @ b.bfloat16()).float()
