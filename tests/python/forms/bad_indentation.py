# SPDX-License-Identifier: MIT
# An unexpected indent. expected: build_error: import: IndentationError


def run(x):
    y = x
      return y
