# SPDX-License-Identifier: MIT
# Defines nothing that is called. expected: build_error: load: bad_no_entry.py has none of: class ModelNew, class
# Model, custom_kernel(data), run(...); or name one by --entry or a line '# assay: entry NAME'
import torch


def relu(x):
    return torch.relu(x)
