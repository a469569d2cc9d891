# SPDX-License-Identifier: MIT
# Comments only. expected: build_error: load: bad_comment_only.py has none of: class ModelNew, class Model,
# custom_kernel(data), run(...); or name one by --entry or a line '# assay: entry NAME'

# class ModelNew
