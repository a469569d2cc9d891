# SPDX-License-Identifier: MIT
# A call in inference mode. expected: pass
import torch
from torch import nn


class ModelNew(nn.Module):
    @torch.inference_mode()
    def forward(self, x):
        return torch.relu(x)
