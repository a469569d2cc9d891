# SPDX-License-Identifier: MIT
WIDTH = 4
