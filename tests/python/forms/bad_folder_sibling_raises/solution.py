# SPDX-License-Identifier: MIT
# A folder whose helper raises; solution.py's own line is named. expected: build_error: import: ZeroDivisionError:
# division by zero (helper.py, line 2)

import helper
