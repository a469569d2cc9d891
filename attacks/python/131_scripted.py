# SPDX-License-Identifier: MIT
# Honest: compiles itself in the first call, with threads of torch's own. expected: pass
import torch
from torch import nn


@torch.jit.script
def relu(x):
    return torch.relu(x)


class ModelNew(nn.Module):
    def forward(self, x):
        return relu(x)
