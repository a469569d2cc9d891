# SPDX-License-Identifier: MIT
1 / 0
