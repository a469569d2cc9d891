# SPDX-License-Identifier: MIT
"""Imports torch once, then forks a sealed runner for a candidate in Python whenever the judge asks
for one. Started by assay (src/process/zygote.c) with a socket as descriptor 3.

    judge                                   this process
          <-------------------------------  "ready python 3.11.2, torch 2.11.0, ..."
      "runner cuda [group] [save]"   ---->  forks a process that leaves the namespaces and forks
      + socket, output, [group], [save]     the runner
          <-------------------------------  "pid 1234"

"rehearsal" in place of "runner" makes one that may start compilers.

This process is trusted, has no walls, runs nothing of a candidate's and touches no device. What a
runner needs of it is imported here: its walls let it read no file of ours.
"""
import contextlib
import gc
import importlib
import os
import platform
import socket
import sys

CONTROL_FD = 3
# torch.utils.cpp_extension asks torch for devices. PYTORCH_NVML_BASED_CUDA_CHECK, which the judge
# sets, answers without starting CUDA; otherwise no child could use it.
OPTIONAL = ("triton", "torch.utils.cpp_extension")


def import_optional():
    for name in OPTIONAL:
        with contextlib.suppress(Exception):
            importlib.import_module(name)


def versions(torch):
    found = [f"python {platform.python_version()}", f"torch {torch.__version__}"]
    triton = sys.modules.get("triton")
    return ", ".join(found + ([f"triton {triton.__version__}"] if triton else []))


def find_own_programs():
    """Lets the rehearsal find programs of the interpreter's packages, such as pip's ninja, also where
    nobody activated its virtual environment."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    own = os.path.dirname(sys.executable)
    os.environ["PATH"] = os.pathsep.join(folders + ([] if own in folders else [own]))


class Request:
    """A request's words and descriptors: socket, output, door of a cgroup, file for a folder."""

    def __init__(self, text, fds):
        kind, self.device, *more = text.decode().split()
        self.builds, self.fds = kind == "rehearsal", list(fds)
        self.sock, self.output, *rest = self.fds
        self.group = rest.pop(0) if "group" in more else -1
        self.save = rest.pop(0) if "save" in more else -1


def be_runner(lib, layers, between, request, paths):
    from assay_python import bundle, library, runner

    birth = library.Birth(between, (request.sock, request.save), 1 if request.save < 0 else 2, request.output,
                          request.group, bundle.PLACE.encode(), request.builds)
    lib.run(birth, layers, request.device, paths, request.builds,
            runner.Runner(request.device, request.builds).glue)


def be_between(lib, attempt, request, paths, report):
    """Returns an exit status: 0, or 2 if another attempt may go better."""
    layers, why = lib.unshare(attempt)
    if layers is None:
        print(why, file=sys.stderr)
        return 2
    between = os.pidfd_open(os.getpid())
    child = os.fork()
    if child == 0:
        be_runner(lib, layers, between, request, paths)
    os.write(report, str(child).encode())
    return 0


def try_to_fork(lib, attempt, request, paths):
    """(exit status of the process between, pid of the runner). The runner is the judge's child when
    the process between is gone."""
    read_end, report = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = be_between(lib, attempt, request, paths, report)
        except Exception as error:
            print(error, file=sys.stderr)
        finally:
            sys.stderr.flush()
            os._exit(status)
    os.close(report)
    _, waited = os.waitpid(child, 0)
    pid = os.read(read_end, 32).decode()
    os.close(read_end)
    return os.waitstatus_to_exitcode(waited), pid


def fork_runner(lib, request, paths):
    """The runner's pid, or "" if there is none."""
    attempt, (status, pid) = 0, try_to_fork(lib, 0, request, paths)
    while status == 2:
        attempt += 1
        status, pid = try_to_fork(lib, attempt, request, paths)
    return pid if status == 0 else ""


def main():
    library_path, *hidden = sys.argv[1:]
    control = socket.socket(fileno=CONTROL_FD)
    try:
        import torch

        from assay_python import library, prime, runner, walls  # every runner starts from here
    except ImportError as error:
        print(error, file=sys.stderr)
        return 1
    # torch reads /proc/cpuinfo now, for its threads and at its first conversion to half precision: a
    # runner could not. One thread means that none is started.
    torch.set_num_threads(1)
    torch.zeros(16).half()
    find_own_programs()
    import_optional()
    prime.prime()
    ours = sys.path.pop(0)  # the folder of this script
    lib = library.Library(library_path)
    paths = walls.Paths([ours, *hidden])
    gc.collect()
    gc.freeze()  # the children share these pages: a collection of theirs must not touch them
    control.send(f"ready {versions(torch)}".encode())
    while True:
        text, fds, _, _ = socket.recv_fds(control, 256, 4)
        if not text:
            return 0
        sys.stdout.flush()
        sys.stderr.flush()
        control.send(f"pid {fork_runner(lib, Request(text, fds), paths) or 0}".encode())
        for fd in fds:
            os.close(fd)


if __name__ == "__main__":
    sys.exit(main())
