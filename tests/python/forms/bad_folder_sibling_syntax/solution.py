# SPDX-License-Identifier: MIT
# A folder whose helper has a syntax error. expected: build_error: import: (helper.py, line 2)

import helper
