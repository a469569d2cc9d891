# SPDX-License-Identifier: MIT
"""Answers of programs that Triton would otherwise start in every process: the version of ptxas, the
folders of libcuda, and what `file` says of the interpreter, which is part of its caches' keys. They
are asked for once, before the first fork. None of this touches a device.

Names are Triton's own and differ between its versions; what a version does not have is left out."""
import contextlib
import importlib

# (module, function, arguments)
QUESTIONS = (
    ("triton.runtime.cache", "triton_key", ()),
    ("triton.compiler.compiler", "triton_key", ()),
    ("triton.runtime.build", "platform_key", ()),
    ("triton.runtime.cache", "platform_key", ()),
    ("triton.backends.nvidia.driver", "libcuda_dirs", ()),
    ("triton.backends.nvidia.driver", "library_dirs", ()),
    ("triton.backends.nvidia.compiler", "get_ptxas_version", ()),
    ("triton.backends.nvidia.compiler", "get_ptxas", ()),
)
ARCHITECTURES = (80, 86, 89, 90, 100, 103, 120)


def ask(module, function, args):
    with contextlib.suppress(Exception):
        getattr(importlib.import_module(module), function)(*args)


def prime():
    with contextlib.suppress(Exception):
        import platform

        platform.architecture()
    for module, function, args in QUESTIONS:
        ask(module, function, args)
    for arch in ARCHITECTURES:
        for function in ("get_ptxas_version", "get_ptxas"):
            ask("triton.backends.nvidia.compiler", function, (arch,))
