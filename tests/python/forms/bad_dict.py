# SPDX-License-Identifier: MIT
# Returns a dict. expected: wrong: type: call: expected a torch.Tensor as y, got dict
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return {"y": torch.relu(x)}
