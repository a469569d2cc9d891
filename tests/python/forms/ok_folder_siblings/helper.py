# SPDX-License-Identifier: MIT
def rectify(x, floor):
    return x.clamp(min=floor)
