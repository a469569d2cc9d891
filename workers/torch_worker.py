# SPDX-License-Identifier: MIT
"""Imports torch once, then forks a runner whenever the judge asks for one: importing takes seconds,
a fork milliseconds. Started by assay (src/process/worker.c) with a socket as descriptor 3.

    judge                               this process
          <---------------------------  "ready 2.11.0"
      "eager 0" + socket, output pipe ->   forks; the runner becomes the judge's own child
          <---------------------------  "pid 1234" (by the runner)

No CUDA context may exist before the fork, so nothing here asks torch about devices. The runner is a
grandchild whose parent exits at once: the kernel hands it to the judge (a child subreaper), which
can then stop, wait for and reap it like any runner. It is killed when the judge ends.
"""
import contextlib
import ctypes
import glob
import os
import signal
import socket
import sys
import time

CONTROL_FD = 3
PR_SET_PDEATHSIG = 1


def die_with(judge, between):
    """Waits until the parent we were forked by is gone, and asks to be killed with the next one,
    which is the judge. Anybody else means that the judge has ended already."""
    while os.getppid() == between:
        time.sleep(0.0005)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != judge:
        os._exit(1)


def become_runner(control, judge, between, words, fds):
    status = 1
    try:
        os.setpgid(0, 0)
        die_with(judge, between)
        sock = socket.socket(fileno=fds[0])
        os.dup2(fds[1], 1)
        os.dup2(fds[1], 2)
        os.close(fds[1])
        control.send(f"pid {os.getpid()}".encode())
        control.close()

        from assay_worker import session

        status = session.run(sock, words[0], words[1] == "1")
    finally:
        os._exit(status)


def fork_runner(control, judge, words, fds):
    if words[0] != "eager":
        with contextlib.suppress(ImportError):  # a torch that cannot compile: its runner says so
            import torch._dynamo  # seconds that every runner would spend again
    child = os.fork()
    if child == 0:
        between = os.getpid()
        if os.fork() == 0:
            become_runner(control, judge, between, words, fds)
        os._exit(0)
    os.waitpid(child, 0)


def open_libraries(torch):
    """What torch opens at the first convolution, a gigabyte: here once instead of in every runner.
    Opening them touches no device."""
    place = os.path.join(os.path.dirname(os.path.dirname(torch.__file__)), "nvidia", "cudnn", "lib")
    for path in sorted(glob.glob(os.path.join(place, "libcudnn*.so*"))):
        with contextlib.suppress(OSError):
            ctypes.CDLL(path)


def main():
    control, judge = socket.socket(fileno=CONTROL_FD), os.getppid()
    try:
        import torch

        import assay_worker.session  # every runner starts from here
    except ImportError as error:
        print(error, file=sys.stderr)
        return 1
    control.send(f"ready {torch.__version__}".encode())
    forked = 0
    while True:
        request, fds, _, _ = socket.recv_fds(control, 256, 2)
        if not request:
            return 0
        fork_runner(control, judge, request.decode().split(), fds)
        for fd in fds:
            os.close(fd)
        forked += 1
        if forked == 1:  # while the first one starts, which need not wait for it
            open_libraries(torch)


if __name__ == "__main__":
    sys.exit(main())
