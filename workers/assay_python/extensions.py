# SPDX-License-Identifier: MIT
"""torch.utils.cpp_extension in a runner: load() and load_inline() find the library that the rehearsal
compiled. torch itself would start ninja in every process, even where nothing has changed."""
import inspect
import os
import sys

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
