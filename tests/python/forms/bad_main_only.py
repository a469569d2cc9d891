# SPDX-License-Identifier: MIT
# The class is defined in the main part, which is not run. expected: build_error: load: bad_main_only.py has none of:
# class ModelNew, class Model, custom_kernel(data), run(...); or name one by --entry or a line '# assay: entry NAME'
import torch
from torch import nn

if __name__ == "__main__":

    class ModelNew(nn.Module):
        def forward(self, x):
            return torch.relu(x)
