# SPDX-License-Identifier: MIT
# The import never ends. expected: the reference took over 4 s (--build-timeout)
import time

import torch
import torch.nn as nn

while True:
    time.sleep(1)


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x)


def get_inputs():
    return [torch.randn(16, 64)]


def get_init_inputs():
    return []
