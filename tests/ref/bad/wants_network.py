# SPDX-License-Identifier: MIT
# The module fetches a file when it is imported; the address is one for documentation. expected: made a system call no kernel needs
import urllib.request

import torch
import torch.nn as nn

WEIGHTS = urllib.request.urlopen("http://192.0.2.1/weights.bin", timeout=5).read()


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x)


def get_inputs():
    return [torch.randn(16, 64)]


def get_init_inputs():
    return []
