# SPDX-License-Identifier: MIT
"""Libraries that the zygote imported, and that a candidate would find in another state.

torch.utils.cpp_extension: load() and load_inline() find the library that the rehearsal compiled. torch
itself would start ninja in every process, even where nothing has changed.

Triton: kernels are made for its interpreter if TRITON_INTERPRET is set when they are defined. Those of
its own library (tl.sum, tl.max) are defined when it is imported, which the zygote did without it."""
import inspect
import os
import sys

INTERPRETER = b"TRITON_INTERPRET"
BUILD = "_write_ninja_file_and_build_library"


def take_built():
    """Replaces the step that runs ninja. A library that is not there makes torch start it after all,
    which the walls refuse."""
    module = sys.modules.get("torch.utils.cpp_extension")
    build = getattr(module, BUILD, None)
    if build is None:
        return
    signature = inspect.signature(build)

    def find(*args, **kwargs):
        given = signature.bind(*args, **kwargs).arguments
        name, folder = given.get("name", ""), given.get("build_directory", "")
        if not os.path.exists(os.path.join(folder, name + ".so")):
            build(*args, **kwargs)

    setattr(module, BUILD, find)


def forget_triton(files):
    """Lets a candidate that names the variable import Triton anew. files: contents by name."""
    if not any(INTERPRETER in data for data in files.values()):
        return
    for name in [name for name in sys.modules if name.split(".")[0] == "triton"]:
        if not name.startswith("triton._C"):  # the part in C++ cannot be loaded twice
            del sys.modules[name]
