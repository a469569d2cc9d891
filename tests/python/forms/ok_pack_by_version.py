# SPDX-License-Identifier: MIT
# Packs its weight anew when its version has changed. problem: level2/22 expected: pass
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, scale_factor, clamp_min, clamp_max):
        super().__init__()
        self.matmul = nn.Linear(in_features, out_features)
        self.factor, self.limits, self.packed = 2 * scale_factor, (clamp_min, clamp_max), (None, None)

    def forward(self, x):
        if self.packed[0] != self.matmul.weight._version:
            self.packed = self.matmul.weight._version, self.matmul.weight.t().contiguous()
        x = torch.addmm(self.matmul.bias, x, self.packed[1]) * self.factor
        x = torch.logsumexp(torch.clamp(x, *self.limits), dim=1, keepdim=True)
        return x * nn.functional.mish(x)
