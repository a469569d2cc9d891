# SPDX-License-Identifier: MIT
# Imports a module that is not there. expected: build_error: module: there is no module nosuchmodule (line 4)

import nosuchmodule
