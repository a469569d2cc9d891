# SPDX-License-Identifier: MIT
# Honest: takes tensors on its parameters' memory in the first call and uses them in all calls, as a captured CUDA graph
# does. The numbers there change; the address does not. problem: level1/40 expected: pass
from torch import nn
from torch.nn import functional as F


class ModelNew(nn.Module):
    def __init__(self, normalized_shape):
        super().__init__()
        self.ln = nn.LayerNorm(normalized_shape)
        self.taken = None

    def forward(self, x):
        if self.taken is None:
            self.taken = self.ln.weight.detach(), self.ln.bias.detach()
        return F.layer_norm(x, self.ln.normalized_shape, *self.taken, self.ln.eps)
