# SPDX-License-Identifier: MIT
"""One runner's life, from HELLO to the page loop: src/runner/runner.c without its sandbox, since the
module is ours. Nothing is freed: the process is killed."""
import gc
import importlib.util
import os
import re
import sys
import traceback

import torch

from . import model, wire


class Failure(Exception):
    """What ends this runner before it watches the page, for a FAIL frame."""

    def __init__(self, stage, text):
        super().__init__(text)
        self.stage = stage


class Gone(Exception):
    """The judge closed the socket."""


def one_line(error):
    lines = [line for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0] if lines else ''}"


def fault_text(error):
    """ "REASON: text", the reason in capitals: the driver's own name, or who failed."""
    if re.match("[A-Z]+_ERROR_", str(error)):
        return str(error)
    kind = "OUT_OF_MEMORY" if "OutOfMemory" in type(error).__name__ else "TORCH"
    return f"{kind}: {one_line(error)}"


def open_device(name, index):
    """The judge's device NAME is the class Name of NAME.py, if there is one."""
    found = importlib.util.find_spec("." + name, __package__)
    device = found and getattr(importlib.import_module("." + name, __package__), name.capitalize(), None)
    if not device:
        raise RuntimeError(f"torch cannot run on the device {name}")
    return device(index)


class Session:
    def __init__(self, sock, mode, tf32):
        self.sock, self.mode, self.tf32 = sock, mode, tf32
        self.arenas = {}  # id: (bytes as a tensor, read_only)
        self.calls = {}  # (in, out): (call, keep)

    def send(self, frame):
        try:
            self.sock.send(frame)
        except OSError as error:
            raise Gone from error

    def receive(self):
        kind, value, fd = wire.receive(self.sock)
        if kind == 0:
            raise Gone
        return kind, value, fd

    def expect(self, wanted):
        kind, value, _ = self.receive()
        if kind != wanted:
            raise wire.WireError(f"frame {kind} where {wanted} belongs")
        return value

    def open(self):
        hello = self.expect(wire.HELLO)
        self.yields = hello.yields or os.cpu_count() == 1
        torch.set_grad_enabled(False)
        model.set_precision(self.tf32)
        try:
            self.device = open_device(hello.device, hello.index)
        except Exception as error:
            raise Failure(wire.STAGE_DEVICE, one_line(error)) from error
        self.send(wire.encode(wire.WARM))

    def take(self):
        """PAGE, SWEEP, ARENA..., SIZE, LOAD: all that comes with a descriptor."""
        kind = 0
        while kind != wire.LOAD:
            kind, value, fd = self.receive()
            if kind == wire.PAGE:
                self.page = wire.map_page(fd, value)
                self.holds = self.device.share(self.page)
            elif kind == wire.SWEEP:
                self.device.take_sweep(fd, value)
            elif kind == wire.ARENA:
                memory = self.device.arena(fd, value.bytes, value.read_only)
                self.arenas[value.id] = memory, value.read_only
            elif kind == wire.SIZE:
                self.size = value
            elif kind == wire.LOAD:
                self.text = os.pread(fd, os.fstat(fd).st_size, 0).decode()
            else:
                raise wire.WireError(f"frame {kind} before LOAD")
            if fd >= 0:
                os.close(fd)

    def load(self):
        try:
            self.module = model.Module(self.text, self.mode)
        except Exception as error:
            raise Failure(wire.STAGE_LOAD, one_line(error)) from error

    def bind(self):
        """All pairs of arenas now, so that an order does nothing but call."""
        size = self.size
        for i, (memory, read_only) in self.arenas.items():
            if not read_only:
                continue
            tensors = [model.view(memory, t) for t in size.tensors[: size.n_in]]
            call = self.module.bind(tensors[: size.first_param], tensors[size.first_param :])
            for o, (out, out_read_only) in self.arenas.items():
                if not out_read_only:
                    outputs = [model.view(out, t) for t in size.tensors[size.n_in :]]
                    self.calls[i, o] = call, model.keeper(outputs)

    def setup(self):
        """The first calls load libraries, allocate and compile: all of that before START. The input
        arenas hold a content by then, and the judge poisons outputs before each call of its own."""
        try:
            self.bind()
            for call, keep in self.calls.values():
                for _ in range(model.WARM_UPS[self.mode]):
                    self.device.run(call, 1, keep)
        except Exception as error:
            traceback.print_exc()
            raise Failure(wire.STAGE_SETUP, one_line(error)) from error

    def obey(self, page):
        """(status, claim in ns)"""
        pair = self.calls.get((page.in_arena, page.out_arena))
        if not pair or page.order not in (wire.ORDER_CALL, wire.ORDER_EMPTY):
            return wire.STATUS_BAD_ORDER, 0
        how = page.hold
        if how != wire.HOLD_NONE and not self.holds:
            how = self.await_content(page)
        if page.order == wire.ORDER_EMPTY:
            self.device.run(pair[0], 0, pair[1], how, page.go)
            return 0, 0
        return 0, self.device.run(pair[0], page.count, pair[1], how, page.go)

    def await_content(self, page):
        """Where the device cannot be held there is nothing to queue."""
        page.queued = page.go
        while page.ready != page.go:
            if self.yields:
                os.sched_yield()
        return wire.HOLD_NONE

    def guarded(self, page):
        try:
            return self.obey(page)
        except Exception as error:
            traceback.print_exc()
            page.error = fault_text(error).encode()[: wire.ERROR_MAX]
            return wire.STATUS_FAULT, 0

    def watch(self):
        """Ends when the judge does, or kills us."""
        page, done, awake = self.page, 0, 0
        gc.collect()
        gc.freeze()
        gc.disable()  # or a collection would be timed
        while True:
            asked, go = page.awake, page.go
            if asked != awake:
                awake = page.awake_ack = asked
            if go == done:
                if self.yields:
                    os.sched_yield()
                continue
            done = go
            page.status, page.claim_ns = self.guarded(page)
            page.done = done

    def live(self):
        self.open()
        self.take()
        self.send(wire.encode_ready(0))  # no layer of the sandbox is on
        self.load()
        self.send(wire.encode_ok())
        self.expect(wire.SETUP)
        self.setup()
        self.send(wire.encode_ok())
        self.expect(wire.START)
        self.watch()


def run(sock, mode, tf32):
    """The exit status of a runner that came to an end before START."""
    session = Session(sock, mode, tf32)
    try:
        session.live()
    except Gone:
        return wire.EXIT_EOF
    except Failure as failure:
        stage, text = failure.stage, str(failure)
    except Exception as error:
        traceback.print_exc()
        stage, text = wire.STAGE_IMPORT, one_line(error)
    try:
        sys.stderr.flush()
        sock.send(wire.encode_fail(stage, 0, text))
        while sock.recv(64):  # an exit with frames unread would reset the connection
            pass
    except OSError:
        pass
    return wire.EXIT_FAIL
