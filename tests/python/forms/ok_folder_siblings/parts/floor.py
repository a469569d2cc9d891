# SPDX-License-Identifier: MIT
FLOOR = 0.0
