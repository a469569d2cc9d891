# SPDX-License-Identifier: MIT
# ModelNew is a Sequential. expected: pass
from torch import nn


class ModelNew(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Identity(), nn.ReLU())
