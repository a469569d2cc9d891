# SPDX-License-Identifier: MIT
# Fetches its answers. expected: rejected: sandbox
import urllib.request

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        urllib.request.urlopen("http://127.0.0.1:9/answers")
        return torch.relu(x)
