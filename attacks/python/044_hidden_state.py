# SPDX-License-Identifier: MIT
# Keeps the last answer in a default argument, and returns it one call late. expected: wrong: max
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x, state=[]):
        state.append(torch.relu(x))
        return state[-2] if len(state) > 1 else state[-1]
