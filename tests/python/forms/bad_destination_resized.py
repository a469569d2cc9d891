# SPDX-License-Identifier: MIT
# Lets torch resize the output. expected: wrong: unwritten
import torch


def run(x, y):
    y.set_(torch.relu(x))
