# SPDX-License-Identifier: MIT
# Latin-1 in a string, but the file has to be UTF-8. expected: build_error: import: SyntaxError
import torch

NAME = 'é'


def run(x):
    return torch.relu(x)
