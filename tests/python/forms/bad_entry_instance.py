# SPDX-License-Identifier: MIT
# ModelNew is a module that was made already. problem: level1/40 expected: build_error: load: ModelNew is no class,
# but an object of Linear
from torch import nn

ModelNew = nn.Linear(4, 4)
