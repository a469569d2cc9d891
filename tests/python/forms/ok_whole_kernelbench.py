# SPDX-License-Identifier: MIT
# A whole file as KernelBench has it, with get_inputs and a main part. expected: pass
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self):
        super(ModelNew, self).__init__()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x)


def get_inputs():
    return [torch.rand(16, 16384)]


def get_init_inputs():
    return []


if __name__ == "__main__":
    raise SystemExit("this part is not run")
