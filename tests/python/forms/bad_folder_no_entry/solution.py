# SPDX-License-Identifier: MIT
# A folder whose solution.py has no entry. expected: build_error: load: solution.py has none of: class ModelNew, class
# Model, custom_kernel(data), run(...); or name one by --entry or a line '# assay: entry NAME'

import torch
