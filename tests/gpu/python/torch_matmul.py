# SPDX-License-Identifier: MIT
# A matrix product in plain torch, TF32 off.
# problem: level1/1
# expected: pass
import torch
from torch import nn

torch.backends.cuda.matmul.allow_tf32 = False


class ModelNew(nn.Module):
    def forward(self, A, B):
        return torch.matmul(A, B)
