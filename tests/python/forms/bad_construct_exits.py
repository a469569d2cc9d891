# SPDX-License-Identifier: MIT
# The constructor calls exit(). expected: build_error: construct: SystemExit
from torch import nn


class ModelNew(nn.Module):
    def __init__(self):
        exit()
