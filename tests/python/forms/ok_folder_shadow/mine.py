# SPDX-License-Identifier: MIT
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)
