# SPDX-License-Identifier: MIT
# Honest: writes every answer into a part of one larger buffer, and returns a view of it. expected: pass
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.room = torch.empty(0)

    def forward(self, x):
        if self.room.nelement() < 64 + x.nelement():
            self.room = x.new_empty(1 << 20 | 64 + x.nelement())
        return torch.clamp(x, min=0, out=self.room[64 : 64 + x.nelement()].view(x.shape))
