# SPDX-License-Identifier: MIT
# ModelNew is no module and has no forward(). expected: build_error: load: ModelNew has no forward()


class ModelNew:
    pass
