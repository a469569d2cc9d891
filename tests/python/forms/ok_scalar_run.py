# SPDX-License-Identifier: MIT
# run takes the plain number, too. problem: level1/5 expected: pass


def run(A, s):
    return A * s
