# SPDX-License-Identifier: MIT
# Annotations that are not evaluated, and names that are not ASCII. expected: pass

from __future__ import annotations

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, größe: Unknown) -> Unknown:
        return torch.relu(größe)
