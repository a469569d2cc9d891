# SPDX-License-Identifier: MIT
# Cannot be read. expected: build_error: import
import torch
from torch import nn


def broken(:
