# SPDX-License-Identifier: MIT
# Hangs in a call. options: --timeout 1000 expected: timeout: call: call: not done after 1000 ms; ended
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        while True:
            pass
