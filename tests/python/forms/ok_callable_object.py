# SPDX-License-Identifier: MIT
# run is an object that can be called. expected: pass
import torch


class Op:
    def __call__(self, x):
        return torch.relu(x)


run = Op()
