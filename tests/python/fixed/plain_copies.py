# SPDX-License-Identifier: MIT
# Copies all parameters into a dictionary, by its own initialisers drawn before. problem: level2/88 fixed: pass
# expected: wrong: stale_weights
import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.init import trunc_normal_


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, num_groups, multiply_weight_shape):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features)
        self.group_norm = nn.GroupNorm(num_groups, out_features)
        self.multiply_weight = nn.Parameter(torch.empty(multiply_weight_shape))
        trunc_normal_(self.gemm.weight, std=0.02)
        self.gemm.bias.data.zero_()
        self.group_norm.weight.data.fill_(1.0)
        nn.init.orthogonal_(self.gemm.weight)
        with torch.no_grad():
            self.multiply_weight.normal_()
        self.kept = {name: p.detach().clone() for name, p in self.named_parameters()}

    def forward(self, x):
        k = self.kept
        x = F.linear(x, k["gemm.weight"], k["gemm.bias"])
        x = F.group_norm(x, self.group_norm.num_groups, k["group_norm.weight"], k["group_norm.bias"])
        x = F.silu(x) * k["multiply_weight"]
        return F.silu(x)
