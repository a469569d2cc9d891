# SPDX-License-Identifier: MIT
# Returns an array of numpy. expected: wrong: type: call: expected a torch.Tensor as y, got ndarray
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x.clamp(min=0).numpy()
