# SPDX-License-Identifier: MIT
# Python 2. expected: build_error: import: SyntaxError

print "hello"
