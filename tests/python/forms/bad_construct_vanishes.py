# SPDX-License-Identifier: MIT
# The constructor ends the process. expected: crash: exited: loading: the candidate ended its process (exit 1)
from torch import nn

import os


class ModelNew(nn.Module):
    def __init__(self):
        os._exit(1)
