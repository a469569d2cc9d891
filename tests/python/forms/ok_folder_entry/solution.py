# SPDX-License-Identifier: MIT
import torch


class Mine(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)
