# SPDX-License-Identifier: MIT
# A syntax error. expected: build_error: import: SyntaxError


def run(x:
    return x
