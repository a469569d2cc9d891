# SPDX-License-Identifier: MIT
# A function whose arguments have other names, with defaults behind them. problem: level1/40 expected: pass
from torch import nn


def run(data, scale, shift, eps=1e-5):
    return nn.functional.layer_norm(data, scale.shape, scale, shift, eps)
