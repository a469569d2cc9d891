# SPDX-License-Identifier: MIT
# Ends its process in a call. expected: crash: exited: call: the candidate ended its process (exit 0)
from torch import nn

import os


class ModelNew(nn.Module):
    def forward(self, x):
        os._exit(0)
