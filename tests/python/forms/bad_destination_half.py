# SPDX-License-Identifier: MIT
# Writes half of the output. expected: wrong: unwritten
import torch


def run(x, y):
    torch.clamp(x[:16], min=0, out=y[:16])
