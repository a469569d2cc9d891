# SPDX-License-Identifier: MIT
# custom_kernel gets input and weights as a tuple. problem: level1/40 expected: pass
from torch import nn


def custom_kernel(data):
    x, weight, bias = data
    return nn.functional.layer_norm(x, weight.shape, weight, bias)
