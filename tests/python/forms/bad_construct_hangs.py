# SPDX-License-Identifier: MIT
# The constructor hangs. options: --build-timeout 3000 expected: timeout: loading: loading: not done after 3000 ms;
# ended
from torch import nn


class ModelNew(nn.Module):
    def __init__(self):
        while True:
            pass
