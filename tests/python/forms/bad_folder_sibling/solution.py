# SPDX-License-Identifier: MIT
# A folder whose helper is missing. expected: build_error: module: there is no module helper (line 4)

import helper
