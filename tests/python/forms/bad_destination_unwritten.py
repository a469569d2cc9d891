# SPDX-License-Identifier: MIT
# Destination style, but nothing is written. expected: wrong: unwritten
import torch


def run(x, y):
    y = torch.relu(x)
