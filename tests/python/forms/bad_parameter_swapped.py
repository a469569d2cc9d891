# SPDX-License-Identifier: MIT
# Takes weight for bias and bias for weight. problem: level1/40 expected: wrong: max
from torch import nn


def run(x, bias, weight):
    return nn.functional.layer_norm(x, weight.shape, weight, bias)
