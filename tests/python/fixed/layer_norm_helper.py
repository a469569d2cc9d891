# SPDX-License-Identifier: MIT
# Takes the parameters of a helper that it does not keep, and copies them. problem: level1/40 fixed: pass expected:
# wrong: stale_weights
from torch import nn
from torch.nn import functional as F


class ModelNew(nn.Module):
    def __init__(self, normalized_shape):
        super().__init__()
        helper = nn.LayerNorm(normalized_shape)
        self.weight, self.bias = helper.weight, helper.bias
        self.kept = tuple(helper.normalized_shape), self.weight.detach().clone(), self.bias.detach().clone()

    def forward(self, x):
        return F.layer_norm(x, *self.kept)
