# SPDX-License-Identifier: MIT
# Doubles the norm's weight and bias, for the sum that follows. problem: level2/62 fixed: pass expected: wrong:
# stale_weights
from torch import nn
from torch.nn import functional as F


class ModelNew(nn.Module):
    def __init__(self, input_size, hidden_size, num_groups, eps=1e-5, negative_slope=0.01):
        super().__init__()
        self.fc = nn.Linear(input_size, hidden_size)
        self.gn = nn.GroupNorm(num_groups, hidden_size, eps=eps)
        self.twice = [2 * p.detach() for p in (self.gn.weight, self.gn.bias)]
        self.negative_slope = negative_slope

    def forward(self, x):
        x = F.group_norm(self.fc(x), self.gn.num_groups, *self.twice, eps=self.gn.eps)
        return F.leaky_relu(x, self.negative_slope)
