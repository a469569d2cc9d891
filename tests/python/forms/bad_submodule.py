# SPDX-License-Identifier: MIT
# Imports a part of torch that is not there. expected: build_error: module: there is no module torch.nosuchmodule
# (line 5)

from torch.nosuchmodule import relu
