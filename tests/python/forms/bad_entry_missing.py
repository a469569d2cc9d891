# SPDX-License-Identifier: MIT
# A line names an entry that is not there. expected: build_error: load: bad_entry_missing.py has no class or function
# mine
import torch

# assay: entry mine


def run(x):
    return torch.relu(x)
