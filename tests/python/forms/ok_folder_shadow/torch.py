# SPDX-License-Identifier: MIT
raise SystemExit("not torch")
