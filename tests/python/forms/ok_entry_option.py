# SPDX-License-Identifier: MIT
# --entry names the function, and goes before the line in the file. options: --entry mine expected: pass
import torch

# assay: entry other


def mine(x):
    return torch.relu(x)


def other(x):
    return x
