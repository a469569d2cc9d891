# SPDX-License-Identifier: MIT
"""The functions that libassay-runner.so calls, from the candidate's files to its calls. By then the
walls are up and the process is sealed."""
import contextlib
import ctypes
import gc
import os
import sys

import torch

from . import binding, calls, entry, extensions, library, place
from .bundle import FOLDER, Bundle, save_folder


class Candidate:
    def __init__(self, bundle, where):
        self.bundle, self.where = bundle, where
        module, self.path = entry.load_module(bundle)
        self.name, value = entry.find_entry(module, bundle)
        self.wanted = {name: (shape, calls.dtype_of(dtype)) for name, shape, dtype in bundle.params()}
        if isinstance(value, type):
            self.take_class(value)
        else:
            self.take_function(value)

    def take_class(self, cls):
        self.model = entry.construct(self.name, cls, self.bundle, self.path, self.where.device)
        self.function = self.model if callable(self.model) else getattr(self.model, "forward", None)
        forward = getattr(self.model, "forward", self.function)
        if forward is None or entry.is_unwritten(forward):
            raise entry.Refused("load", f"{self.name} has no forward()")
        entry.check_call(f"{self.name}.forward", forward, self.bundle.module["forward"], "inputs")
        self.given_outputs = self.takes_params = False
        self.parameters = calls.Parameters(self.bind())

    def bind(self):
        """The candidate's tensors, in the order of the problem's parameters."""
        have = binding.members(self.model) if isinstance(self.model, torch.nn.Module) else {}
        kinds = {name: (tuple(tensor.shape), tensor.dtype) for name, tensor in have.items()}
        self.bound, left = binding.bind(self.wanted, kinds)
        if left:
            raise entry.Refused("parameters", f"no place for {', '.join(left)}; the problem has "
                                f"{binding.describe(self.wanted)}; {self.name} has {binding.describe(kinds)}")
        return [have[self.bound[name][0]] for name in self.wanted]

    def take_function(self, function):
        """Functions take inputs and parameters and, where they take so many, outputs. custom_kernel
        takes all in one: a tuple, or the tensor itself if there is one only."""
        n_in = len(self.bundle.module["forward"]) + len(self.wanted)
        n_out = len(self.bundle.head["outputs"])
        self.takes_params, self.parameters = True, calls.Parameters([])
        self.bound = {name: (name, "argument") for name in self.wanted}
        self.given_outputs = False
        if self.name == "custom_kernel":
            entry.check_call(self.name, function, [None], "argument")
            self.function = lambda *args: function(args if len(args) > 1 else args[0])
            return
        self.function = function
        signature = entry.signature_of(function)
        if signature:
            self.given_outputs = fits(signature, n_in + n_out) and not fits(signature, n_in)
        if not self.given_outputs:
            entry.check_call(self.name, function, [None] * n_in,
                             f"inputs and parameters (or {n_in + n_out}, with outputs)")

    def prepare(self, ins, outs, first_param, results):
        tensors, outputs = ([calls.wrap(tensor, self.where) for tensor in side] for side in (ins, outs))
        inputs, params = self.bundle.forward(tensors[:first_param]), tensors[first_param:]
        if self.takes_params:
            inputs, params = inputs + params, []
        call = calls.Call(self.function, self.parameters, inputs, params, outputs,
                          self.bundle.head["outputs"], self.given_outputs)
        if self.bundle.head["results_named"]:
            call.name_results(results, tensors)
        return call

    def explain(self, error):
        """The line comes last, and a long text is cut before it."""
        text, line = f"PYTHON: {entry.one_line(error)}", entry.place_of(error, self.path)
        wanted = entry.program_of(error)
        if wanted:
            text = f"program: wanted {wanted} in a call; compilers run in the rehearsal only"
        room = library.ERROR_BYTES - len(line.encode())
        return (text if len(text.encode()) <= room else text[: room - 3] + "...") + line


def fits(signature, count):
    try:
        signature.bind(*[None] * count)
    except TypeError:
        return False
    return True


class Runner:
    """Holds what the library keeps pointers to. device: its name; builds: this is a rehearsal."""

    def __init__(self, device, builds):
        self.where, self.builds = place.PLACES[device](), builds
        self.candidate, self.calls = None, []
        self.text = ctypes.create_string_buffer(library.TEXT_BYTES)
        self.note = ctypes.create_string_buffer(library.NOTE_BYTES + 1)
        table = library.Results()
        self.results = calls.Results(table)
        self.glue = library.Glue(
            library.OPEN(self.open), library.LOAD(self.load), library.PREPARE(self.prepare), library.CALL(self.call),
            library.COPY(self.copy), library.SAVE(self.save),
            ctypes.addressof(self.text), len(self.text), ctypes.addressof(self.note), ctypes.addressof(table),
            ctypes.addressof(table) + library.Results.count.offset)

    def say(self, text):
        self.text.value = text.encode(errors="replace")[: library.TEXT_BYTES - 1]
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(BaseException):  # the candidate may have closed it
                stream.flush()
        return -1

    def open(self, index):
        try:
            self.where.open(index)
            return 0
        except BaseException as error:
            return self.say(f"torch: {entry.one_line(error)}")

    def load(self, address, size):
        try:
            begin()
            if not self.builds:
                extensions.take_built()
            bundle = Bundle(ctypes.string_at(address, size))
            extensions.forget_triton(bundle.files)
            self.candidate = Candidate(bundle, self.where)
            note = binding.note(self.candidate.wanted, self.candidate.bound)
            self.note.value = note if len(note) <= library.NOTE_BYTES else b""
            self.where.synchronize()
            gc.collect()
            gc.freeze()
            return 0
        except entry.Refused as error:
            return self.say(str(error))
        except BaseException as error:
            entry.show(error, __file__)
            return self.say(f"load: {entry.one_line(error)}")

    def prepare(self, ins, n_in, first_param, outs, n_out):
        try:
            self.calls.append(self.candidate.prepare(ins[:n_in], outs[:n_out], first_param, self.results))
            return len(self.calls) - 1
        except BaseException as error:
            entry.show(error, __file__)
            return self.say(entry.one_line(error))

    def call(self, number):
        try:
            self.calls[number]()
            return 0
        except calls.Wrong as error:
            return self.say(str(error))
        except BaseException as error:
            entry.show(error, self.candidate.path)
            return self.say(self.candidate.explain(error))

    def copy(self):
        try:
            for call in self.calls:
                call.results = None
            self.results.copy()
            return 0
        except BaseException as error:
            return self.say(entry.one_line(error))

    def save(self, fd):
        try:
            save_folder(fd, self.candidate.bundle)
            return 0
        except BaseException as error:
            return self.say(f"PYTHON: {entry.one_line(error)}")


def begin():
    """Settings of a runner's process, before any candidate code."""
    os.environ["HOME"] = os.environ["TMPDIR"] = FOLDER
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    with contextlib.suppress(RuntimeError):
        torch.set_num_interop_threads(max(1, len(os.sched_getaffinity(0))))
    torch.set_grad_enabled(False)
    # The zygote's streams took their descriptors for files; they are pipes now.
    sys.stdin = open(os.devnull)
    sys.stdout, sys.stderr = (open(fd, "w", buffering=1, errors="backslashreplace", closefd=False)
                              for fd in (1, 2))
