# SPDX-License-Identifier: MIT
"""A runner in Python: what assay-runner does, for PyTorch modules of our own (src/runner/runner.c).

wire.py     frames and the shared page (src/wire)
session.py  one runner's life
model.py    the module that `assay show P --as torch` prints, on memory of the judge's
cpu.py      the cpu device: arenas and clock
cuda.py     the same on NVIDIA GPUs
hold.py     the kernel that holds a GPU back (src/device/cuda/cuda_hold.c); its text is hold.ptx
"""
