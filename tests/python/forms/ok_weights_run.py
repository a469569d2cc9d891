# SPDX-License-Identifier: MIT
# run takes weights as arguments, in the problem's order. problem: level1/40 expected: pass
from torch import nn


def run(x, weight, bias):
    return nn.functional.layer_norm(x, weight.shape, weight, bias)
