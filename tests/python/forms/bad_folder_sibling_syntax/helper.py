# SPDX-License-Identifier: MIT
def rectify(
