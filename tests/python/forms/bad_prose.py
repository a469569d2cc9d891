# SPDX-License-Identifier: MIT
# An answer of a model with its prose around the code. expected: build_error: import: SyntaxError

Here is the optimized kernel:

```python
def run(x):
    return x
```
