# SPDX-License-Identifier: MIT
"""The functions that libassay-runner.so calls, from the candidate's files to its calls. By then the
walls are up and the process is sealed."""
import contextlib
import ctypes
import gc
import os
import sys

import torch

from . import binding, calls, entry, extensions, library, place, weights
from .bundle import FOLDER, Bundle, save_folder
from .reference import Reference


class Candidate:
    def __init__(self, bundle, where):
        self.bundle, self.where = bundle, where
        module, self.path = entry.load_module(bundle)
        self.name, value = entry.find_entry(module, bundle)
        self.wanted = {name: (shape, calls.dtype_of(dtype)) for name, shape, dtype in bundle.params()}
        self.twice = None
        if isinstance(value, type):
            self.take_class(value)
        else:
            self.take_function(value)

    def take_class(self, cls):
        construct = lambda: entry.construct(self.name, cls, self.bundle, self.path, self.where.device)
        if not self.bundle.fixed or not self.wanted:
            self.take_model(construct())
            self.parameters = calls.Parameters(list(self.bind().values()))
            return
        self.twice = weights.Twice(construct)
        self.take_model(self.twice.first())
        self.own_values, self.parameters = self.bind(), calls.Parameters([])
        self.twice.plan(self.model, {other: name for name, (other, _) in self.bound.items()}, self.own_values)

    def take_values(self, tensors):
        """Constructs the class again, if weights are fixed; else returns False. tensors: the problem's
        parameters; none: those of the first construction are taken, where nobody asks for answers."""
        if not self.twice:
            return False
        values = dict(zip(self.wanted, [calls.wrap(tensor, self.where) for tensor in tensors])) or self.own_values
        self.model = self.function = self.own_values = None
        gc.collect()
        self.take_model(self.twice.second(values))
        self.twice = None
        return True

    def take_model(self, model):
        self.model = model
        self.function = self.model if callable(self.model) else getattr(self.model, "forward", None)
        forward = getattr(self.model, "forward", self.function)
        if forward is None or entry.is_unwritten(forward):
            raise entry.Refused("load", f"{self.name} has no forward()")
        entry.check_call(f"{self.name}.forward", forward, self.bundle.module["forward"], "inputs")
        self.given_outputs = self.takes_params = False

    def bind(self):
        """The candidate's tensors by the names of the problem's parameters, in their order."""
        have = binding.members(self.model) if isinstance(self.model, torch.nn.Module) else {}
        kinds = {name: (tuple(tensor.shape), tensor.dtype) for name, tensor in have.items()}
        self.bound, left = binding.bind(self.wanted, kinds)
        if left:
            raise entry.Refused("parameters", f"no place for {', '.join(left)}; the problem has "
                                f"{binding.describe(self.wanted)}; {self.name} has {binding.describe(kinds)}")
        return {name: have[self.bound[name][0]] for name in self.wanted}

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

    def note(self):
        return binding.note(self.wanted, self.bound)

    def save(self, fd):
        save_folder(fd, self.bundle)

    def explain(self, error):
        return entry.explain(error, self.path)


def fits(signature, count):
    try:
        signature.bind(*[None] * count)
    except TypeError:
        return False
    return True


ROLES = {"candidate": Candidate, "reference": Reference}


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
            library.OPEN(self.open), library.LOAD(self.load), library.VALUES(self.values),
            library.PREPARE(self.prepare), library.CALL(self.call), library.COPY(self.copy), library.SAVE(self.save),
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
            if bundle.fixed:
                weights.guard_initialisers()
            self.candidate = ROLES[bundle.head.get("role", "candidate")](bundle, self.where)
            note = self.candidate.note()
            self.note.value = note if len(note) <= library.NOTE_BYTES else b""
            return self.settle()
        except BaseException as error:
            return self.refuse(error)

    def values(self, params, count):
        try:
            return self.settle() if self.candidate.take_values(params[:count] if count else []) else 0
        except BaseException as error:
            return self.refuse(error)

    def settle(self):
        self.where.synchronize()
        gc.collect()
        gc.freeze()
        return 0

    def refuse(self, error):
        """Says why there is no candidate to call."""
        if isinstance(error, entry.Refused):
            return self.say(str(error))
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
            self.candidate.save(fd)
            return 0
        except BaseException as error:
            return self.say(self.candidate.explain(error))


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
