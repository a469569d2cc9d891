# SPDX-License-Identifier: MIT
# Tensor, number and output. problem: level1/5 expected: pass
import torch


def run(a, s, out):
    torch.mul(a, s, out=out)
