# SPDX-License-Identifier: MIT
"""What a sealed runner may read: the interpreter, its packages, the system's libraries. The paths
are found before the first fork."""
import os
import sys
import sysconfig

SYSTEM = ["/usr/lib", "/usr/lib64", "/lib", "/lib64", "/usr/local/lib", "/etc/ld.so.cache", "/dev/null",
          "/dev/urandom"]


def read_paths(hidden):
    """Folders and files, each once. hidden: folders of ours that no candidate sees."""
    places = sysconfig.get_paths()
    found = [*SYSTEM, *(places[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")),
             *sys.path]
    real = {os.path.realpath(path) for path in found if path and os.path.exists(path)}
    return sorted(path for path in real if not any(inside(path, place) or inside(place, path)
                                                   for place in map(os.path.realpath, hidden)))


def inside(path, place):
    return path == place or path.startswith(place.rstrip("/") + "/")
