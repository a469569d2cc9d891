# SPDX-License-Identifier: MIT
# Computes with numpy, on the tensor's own memory. expected: pass
import torch
from torch import nn

import numpy as np


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.from_numpy(np.maximum(x.numpy(), 0))
