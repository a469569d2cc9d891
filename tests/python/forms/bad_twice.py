# SPDX-License-Identifier: MIT
# Two definitions of the same rank. expected: build_error: load: run is defined twice in bad_twice.py
import torch


def run(x):
    return x


def run(x):
    return torch.relu(x)
