# SPDX-License-Identifier: MIT
# Input, weights and output. problem: level1/40 expected: pass
from torch import nn


def run(x, weight, bias, out):
    out.copy_(nn.functional.layer_norm(x, weight.shape, weight, bias))
