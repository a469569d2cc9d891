# SPDX-License-Identifier: MIT
"""A candidate in Python, inside a runner (src/python/python_runner.c). Nothing here is trusted once
the candidate is imported: it shares its process with it. The judge believes none of it.

library.py  libassay-runner.so: structures and functions
bundle.py   what the judge sends: the candidate's files, and what the problem says about them
entry.py    which class or function is called, and its construction
binding.py  which parameter of the problem is which of the candidate's
weights.py  values that are in place when the class is constructed
calls.py    tensors on the judge's memory, calls, results
place.py    memory of the host or of a GPU
extensions.py  libraries that torch compiled in the rehearsal; Triton's interpreter
reference.py  a module that says what is right, in place of a candidate
runner.py   the functions that the library calls
walls.py    what a runner may read
prime.py    what Triton asks other programs, asked once before the first fork
"""
