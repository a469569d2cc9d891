# SPDX-License-Identifier: MIT
# Honest: works in place on a copy. expected: pass
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x.clone().relu_()
