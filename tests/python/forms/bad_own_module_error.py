# SPDX-License-Identifier: MIT
# Raises ModuleNotFoundError itself. expected: build_error: module: there is no module of mine (line 4)

raise ModuleNotFoundError("of mine")
