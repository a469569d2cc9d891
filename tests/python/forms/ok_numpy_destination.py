# SPDX-License-Identifier: MIT
# numpy writes to the output that the function was given. expected: pass

import numpy as np


def run(x, y):
    np.maximum(x.numpy(), 0, out=y.numpy())
