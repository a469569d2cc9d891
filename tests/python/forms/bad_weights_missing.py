# SPDX-License-Identifier: MIT
# run leaves out the weights. problem: level1/40 expected: build_error: signature: run(x) is called with 3 inputs and
# parameters (or 4, with outputs)


def run(x):
    return x
