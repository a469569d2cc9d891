# SPDX-License-Identifier: MIT
# Imports a name that a module does not have. expected: build_error: import: ImportError

from torch import nosuchname
