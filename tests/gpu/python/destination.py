# SPDX-License-Identifier: MIT
# Destination style: writes to the judge's own output and returns nothing.
# problem: level1/19
# expected: pass
import torch


def run(x, out):
    torch.clamp(x, min=0, out=out)
