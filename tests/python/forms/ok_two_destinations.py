# SPDX-License-Identifier: MIT
# Two outputs as the last arguments. problem: two_outputs.lua expected: pass
import torch


def run(x, positive, size):
    torch.clamp(x, min=0, out=positive)
    torch.abs(x, out=size)
