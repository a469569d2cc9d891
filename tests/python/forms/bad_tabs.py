# SPDX-License-Identifier: MIT
# Tabs and spaces mixed. expected: build_error: import: TabError


def run(x):
    if True:
	return x
