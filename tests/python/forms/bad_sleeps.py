# SPDX-License-Identifier: MIT
# Sleeps in a call. options: --timeout 1000 expected: timeout: call: call: not done after 1000 ms; ended
from torch import nn

import time


class ModelNew(nn.Module):
    def forward(self, x):
        time.sleep(3600)
