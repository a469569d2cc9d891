# SPDX-License-Identifier: MIT
# Matmul, bias, ReLU: other names and order. problem: level2/76 expected: pass
from torch import nn
from torch.nn import functional as F


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, bias_shape):
        super().__init__()
        self.whole = nn.Linear(in_features, out_features)

    def forward(self, x):
        return F.relu(self.whole(x))
