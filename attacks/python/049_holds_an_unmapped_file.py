# SPDX-License-Identifier: MIT
# Holds 60 MB where the problem allows 96 KB, in a file of its folder that is not mapped: no memory of the process shows it.
# problem: hard/7 expected: rejected: memory
import os

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, m, n, k):
        super().__init__()
        self.w_q = nn.Parameter(torch.zeros(k // 2, n, dtype=torch.uint8), requires_grad=False)
        self.scales = nn.Parameter(torch.zeros(k // 128, n, dtype=torch.bfloat16), requires_grad=False)
        self.zeros = nn.Parameter(torch.zeros(k // 128, n, dtype=torch.bfloat16), requires_grad=False)
        self.room = None

    def forward(self, x):
        if self.room is None:
            self.room = os.open("/dev/shm/candidate/room", os.O_RDWR | os.O_CREAT)
            for _ in range(60):
                os.write(self.room, bytes(1 << 20))
        k, n = 2 * self.w_q.shape[0], self.w_q.shape[1]
        q = torch.stack([self.w_q & 15, self.w_q >> 4], dim=1).to(torch.bfloat16).reshape(k // 128, 128, n)
        weights = (q - self.zeros.unsqueeze(1)) * self.scales.unsqueeze(1)
        return torch.matmul(x.float(), weights.reshape(k, n).float()).to(torch.bfloat16)
