# SPDX-License-Identifier: MIT
# A line names the entry; run would be another one. expected: pass
import torch

# assay: entry mine


def mine(x):
    return torch.relu(x)


def run(x):
    return x
