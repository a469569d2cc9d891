# SPDX-License-Identifier: MIT
# Warns and logs. expected: pass
import torch
from torch import nn

import logging
import warnings

warnings.warn("this may be slow")
logging.warning("this, too")


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
