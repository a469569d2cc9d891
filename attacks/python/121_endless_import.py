# SPDX-License-Identifier: MIT
# Never ends to be imported, and catches every exception. build timeout: 1000 expected: timeout: loading
import time

import torch
from torch import nn


while True:
    try:
        time.sleep(1)
    except BaseException:
        pass


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
