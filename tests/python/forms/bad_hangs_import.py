# SPDX-License-Identifier: MIT
# Hangs at import. options: --build-timeout 3000 expected: timeout: loading: loading: not done after 3000 ms; ended
import torch
from torch import nn

import time

while True:
    time.sleep(1)


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
