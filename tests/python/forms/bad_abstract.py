# SPDX-License-Identifier: MIT
# ModelNew has no forward(). expected: build_error: load: ModelNew has no forward()
from torch import nn


class ModelNew(nn.Module):
    pass
