# SPDX-License-Identifier: MIT
"""What a sealed runner may read: the interpreter, its packages, the system's libraries. The paths
are found before the first fork."""
import os
import sys
import sysconfig

SYSTEM = ["/usr/lib", "/usr/lib64", "/lib", "/lib64", "/usr/local/lib", "/etc/ld.so.cache", "/dev/null",
          "/dev/urandom"]


# A compiler reads and starts what is here, as in src/sandbox/tool.c.
PROGRAMS = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/alternatives", "/proc"]


def program_paths():
    """What a rehearsal may start: system programs, the interpreter's own, those of its packages, and
    the CUDA toolkit."""
    home = os.environ.get("CUDA_HOME") or "/usr/local/cuda"
    found = [*PROGRAMS, sys.prefix, sys.base_prefix, *sys.path, home]
    return sorted({os.path.realpath(path) for path in found if path and os.path.isdir(path)} - {"/"})


def read_paths(hidden):
    """Folders and files, each once. hidden: real paths of folders of ours that no candidate sees. A virtual environment
    may lie in one of them, as beside a project's files; its packages are read all the same. A folder of
    the system's may have one of them inside: src/sandbox/hidden.c leaves that out."""
    places = sysconfig.get_paths()
    packages = real_paths(places[name] for name in ("stdlib", "platstdlib", "purelib", "platlib"))
    system = real_paths(SYSTEM)
    return sorted(path for path in packages | system | real_paths(sys.path)
                  if not any(inside(place, path) and path not in system or
                             inside(path, place) and path not in packages for place in hidden))


def real_paths(paths):
    return {os.path.realpath(path) for path in paths if path and os.path.exists(path)}


def inside(path, place):
    return path == place or path.startswith(place.rstrip("/") + "/")


class Paths:
    def __init__(self, hidden):
        # Real ones: a runner works in another folder, where "." would be its own.
        self.hidden = [os.path.realpath(path) for path in hidden]
        self.read, self.programs = read_paths(self.hidden), program_paths()
