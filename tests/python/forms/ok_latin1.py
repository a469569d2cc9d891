# -*- coding: latin-1 -*-
# SPDX-License-Identifier: MIT
# Latin-1, and a first line that says so. expected: pass
import torch

NAME = 'é'


def run(x):
    return torch.relu(x)
