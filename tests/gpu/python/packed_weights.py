# SPDX-License-Identifier: MIT
# Packs its weight anew when the version of the parameter has changed.
# problem: level2/22
# expected: pass
import torch
from torch import nn
from torch.nn import functional as F

torch.backends.cuda.matmul.allow_tf32 = False


class ModelNew(nn.Module):
    def __init__(self, input_size, hidden_size, scale_factor, clamp_min, clamp_max):
        super().__init__()
        self.matmul = nn.Linear(input_size, hidden_size)
        self.factor, self.limits, self.packed = 2 * scale_factor, (clamp_min, clamp_max), (None, None)

    def forward(self, x):
        version = self.matmul.weight._version
        if self.packed[0] != version:
            self.packed = version, self.matmul.weight.t().contiguous()
        x = torch.addmm(self.matmul.bias, x, self.packed[1]) * self.factor
        x = torch.logsumexp(torch.clamp(x, *self.limits), dim=1, keepdim=True)
        return x * F.mish(x)
