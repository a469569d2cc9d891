# SPDX-License-Identifier: MIT
# The entry is a number. expected: build_error: load: ModelNew is no class, but an object of int

ModelNew = 3
