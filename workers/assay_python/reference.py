# SPDX-License-Identifier: MIT
"""A reference in KernelBench's form (Model, get_inputs, get_init_inputs) in place of a candidate
(src/judge/reference.c): it says what its tensors are, draws contents under seeds, and answers them
in double or in the declared types."""
import copy
import inspect
import json
import math
import re

import torch

from . import binding, calls, draft, entry

DRAW, DOUBLE, DECLARED = range(3)  # enum reference_command of src/judge/reference.c
DTYPES = {name: short for short, name in calls.TORCH_NAMES.items()}
# Answers of one module to the same inputs, in float, differ by less: some kernels sum in any order.
REPEATS = 1e-3
SPREAD = 0.25  # of parameters that are constant after construction, around their value


class Unfit(Exception):
    """What is wrong with the reference, for its user."""


def dtype_name(tensor, what):
    name = DTYPES.get(calls.short(tensor.dtype))
    if name is None:
        raise Unfit(f"{what} is {calls.short(tensor.dtype)}, which Assay cannot compare")
    return name


def describe_tensor(name, tensor, what):
    if tensor.layout is not torch.strided:
        raise Unfit(f"{what} is not dense, but {tensor.layout}")
    if tensor.nelement() == 0:
        raise Unfit(f"{what} has no elements: {list(tensor.shape)}")
    return {"name": name, "dtype": dtype_name(tensor, what), "shape": list(tensor.shape)}


def as_json(value):
    """A constructor's argument. JSON has no tuples."""
    if isinstance(value, tuple):
        return {"tuple": [as_json(item) for item in value]}
    if isinstance(value, list):
        return [as_json(item) for item in value]
    if value is None or isinstance(value, (bool, int, str)) or isinstance(value, float) and math.isfinite(value):
        return value
    raise Unfit(f"get_init_inputs() returns a {type(value).__name__}: numbers, strings, lists and tuples only")


def plain(name):
    """As C and a problem have names: a letter first."""
    name = re.sub(r"[^A-Za-z0-9_.]", "_", name)
    return name if name[:1].isalpha() else "p" + name


class Names:
    """Names that differ also where dots become underscores and letters capitals."""

    def __init__(self):
        self.taken = set()

    def take(self, name):
        name, number = plain(name)[:90], 1
        wanted = name
        while wanted.replace(".", "_").upper() in self.taken:
            number += 1
            wanted = f"{name}_{number}"
        self.taken.add(wanted.replace(".", "_").upper())
        return wanted


def agree(first, second):
    """Whether two lists of answers are the same but for the order of sums."""
    for a, b in zip(first, second):
        if not a.is_floating_point():
            if not torch.equal(a, b):
                return False
            continue
        a, b = a.double(), b.double()
        fine = torch.isfinite(a)
        if not torch.equal(fine, torch.isfinite(b)):
            return False
        if fine.any() and (a - b)[fine].abs().max() > REPEATS * max(a[fine].abs().max().item(), 1e-30):
            return False
    return True


class Reference:
    def __init__(self, bundle, where):
        self.bundle, self.where = bundle, where
        module, self.path = entry.load_module(bundle)
        self.cls = self.part(module, "Model", "class Model")
        self.inputs_of = self.part(module, "get_inputs", "function get_inputs()")
        if not isinstance(self.cls, type) or not issubclass(self.cls, torch.nn.Module):
            raise entry.Refused("load", "Model is no torch.nn.Module")
        entry.seed_all(0)
        self.seeded = bundle.head["weights"] == "seed"
        self.init = self.run("load", getattr(module, "get_init_inputs", list))
        if not isinstance(self.init, (list, tuple)):
            raise entry.Refused("load", f"get_init_inputs() returns {calls.name_of(self.init)}, not a list")
        self.model, self.other = self.construct(0), self.construct(1)
        self.names = self.state_names()
        self.double = None

    def part(self, module, name, what):
        value = getattr(module, name, None)
        if not callable(value):
            raise entry.Refused("load", f"{self.bundle.main} has no {what}: a reference has Model, get_inputs() and, "
                                "unless its constructor takes nothing, get_init_inputs()")
        return value

    def run(self, word, function, *args):
        """Calls a function of the file. word: a reason of `build_error`."""
        try:
            return function(*args)
        except BaseException as error:
            entry.show(error, self.path)
            raise entry.Refused(word, f"{entry.one_line(error)}{entry.place_of(error, self.path)}") from error

    def construct(self, seed):
        entry.check_call("Model", self.cls, self.init, "values of get_init_inputs()")
        entry.seed_all(entry.WEIGHTS_SEED if self.seeded else seed)
        return self.run("construct", self.cls, *self.init).to(self.where.device).requires_grad_(False)

    def state_names(self):
        """Parameters, and buffers that the constructor draws. Other buffers are constants, which a
        candidate makes itself."""
        if self.seeded:
            return []  # a candidate draws the same
        parameters = dict(self.model.named_parameters())
        mine, theirs = binding.members(self.model), binding.members(self.other)
        return [name for name, tensor in mine.items()
                if name in parameters or not torch.equal(tensor, theirs[name])]

    def state(self, model):
        have = binding.members(model)
        return [have[name] for name in self.names]

    # --- contents

    def arguments(self, seed):
        """What get_inputs() returns under a seed, on the device."""
        entry.seed_all(seed)
        values = self.inputs_of()
        if not isinstance(values, (list, tuple)):
            raise Unfit(f"get_inputs() returns {calls.name_of(values)}, not a list")
        for number, value in enumerate(values):
            if not isinstance(value, (torch.Tensor, bool, int, float)):
                raise Unfit(f"get_inputs() returns a {type(value).__name__} as argument {number}: "
                            "tensors and numbers only")
        return [value.detach().to(self.where.device) if isinstance(value, torch.Tensor) else value for value in values]

    def parameters(self, seed):
        """Values of a module that is constructed under a seed. What is constant in every module would be
        known to a candidate, so it is drawn around that constant."""
        if not self.names:
            return []
        model = self.construct(seed)
        values = [tensor.detach().clone() for tensor in self.state(model)]
        entry.seed_all(seed + 1)
        for number, (value, first) in enumerate(zip(values, self.state(self.model))):
            if value.is_floating_point() and torch.equal(value, first) and (value == value.flatten()[0]).all():
                size = SPREAD * (abs(value.flatten()[0].item()) or 1)
                values[number] = value + size * torch.randn(value.shape).to(value)
        return values

    def draw(self, seed, params_seed):
        """All sources of a content, in order: tensors among the inputs, then parameters."""
        return [value for value in self.arguments(seed) if isinstance(value, torch.Tensor)] + \
            self.parameters(params_seed)

    # --- answers

    def answer(self, model, arguments):
        torch.set_grad_enabled(False)
        result = model(*arguments)
        results = list(result) if isinstance(result, (tuple, list)) else [result]
        for value in results:
            if not isinstance(value, torch.Tensor):
                raise Unfit(f"Model.forward() returns a {type(value).__name__}: a tensor, or a list of tensors, "
                            "is understood")
        return results

    def fill(self, model, values):
        for mine, value in zip(self.state(model), values):
            mine.data.copy_(value)

    def in_declared(self, arguments, values):
        self.fill(self.model, values)
        return self.answer(self.model, [value.clone() if isinstance(value, torch.Tensor) else value
                                        for value in arguments])

    def in_double(self, arguments, values):
        if self.double is None:
            self.double = copy.deepcopy(self.model).double()
        self.fill(self.double, values)
        before = torch.get_default_dtype()
        torch.set_default_dtype(torch.float64)  # for tensors that forward() makes
        try:
            return self.answer(self.double, [
                value.double() if isinstance(value, torch.Tensor) and value.is_floating_point()
                else value.clone() if isinstance(value, torch.Tensor) else value for value in arguments])
        finally:
            torch.set_default_dtype(before)

    # --- what it is

    def try_double(self, arguments, values, declared):
        """Whether expected values can be in double."""
        try:
            results = self.in_double(arguments, values)
        except Exception as error:
            print(f"not in double: {entry.one_line(error)}")
            return False
        return len(results) == len(declared) and all(
            not want.is_floating_point() or got.dtype == torch.float64 for got, want in zip(results, declared))

    def check_repeats(self, arguments, values, results):
        entry.seed_all(4)
        if not agree(results, self.in_declared(arguments, values)):
            raise Unfit("Model.forward() answers otherwise when it is called again: it draws random numbers or keeps "
                        "state")
        self.fill(self.other, values)
        if not agree(results, self.answer(self.other, [value.clone() if isinstance(value, torch.Tensor) else value
                                                       for value in arguments])):
            raise Unfit("Model's constructor draws random numbers that are neither parameters nor buffers, and answers "
                        "depend on them")

    def argument_names(self, count):
        signature = entry.signature_of(self.model.forward)
        kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        names = [name for name, one in signature.parameters.items() if one.kind in kinds] if signature else []
        return names[:count] + [f"x{number}" for number in range(len(names), count)]

    def describe_arguments(self, arguments, names):
        others = self.arguments(2)
        described = []
        for number, (name, value, other) in enumerate(zip(self.argument_names(len(arguments)), arguments, others)):
            what = f"argument {number} of get_inputs()"
            name = names.take(name)
            if isinstance(value, torch.Tensor):
                if not isinstance(other, torch.Tensor) or other.shape != value.shape or other.dtype != value.dtype:
                    raise Unfit(f"{what} has another shape or type when it is drawn again")
                described.append(describe_tensor(name, value, what))
            elif value != other or not math.isfinite(value):
                raise Unfit(f"{what} is a number that is not always the same")
            else:
                described.append({"name": name, "value": float(value) if isinstance(value, float) else int(value)})
        if len(others) != len(arguments):
            raise Unfit("get_inputs() does not always return as many arguments")
        return described

    def fitting_arguments(self):
        arguments = self.arguments(1)
        if not any(isinstance(value, torch.Tensor) for value in arguments):
            raise Unfit("get_inputs() returns no tensor")
        entry.check_call("Model.forward", self.model.forward, arguments, "arguments of get_inputs()")
        return arguments

    def describe(self):
        arguments, values, names = self.fitting_arguments(), self.parameters(1), Names()
        tensors = [value for value in arguments if isinstance(value, torch.Tensor)]
        for name, value in zip(self.names, values):
            if value.is_floating_point() and torch.isnan(value).any():
                raise Unfit(f"parameter {name} is NaN after construction")
        params = [dict(describe_tensor(names.take(name), value, f"parameter {name}"), state=name)
                  for name, value in zip(self.names, values)]
        inputs = self.describe_arguments(arguments, names)
        results = self.in_declared(arguments, values)
        outputs = [describe_tensor(names.take("y" if len(results) == 1 else f"y{number}"), value, f"output {number}")
                   for number, value in enumerate(results)]
        if not outputs:
            raise Unfit("Model.forward() returns no tensor")
        for number, value in enumerate(results):
            if value.is_floating_point() and torch.isnan(value).any():
                raise Unfit(f"output {number} has NaN in it")
        self.check_repeats(arguments, values, results)
        return {"inputs": inputs, "params": params, "outputs": outputs, "init": as_json(list(self.init)),
                "mode": "train" if self.model.training else "eval",
                "never_negative": not any((value < 0).any() for value in tensors if value.is_floating_point()),
                "expected": "double" if self.try_double(arguments, values, results) else "declared"}

    # --- for runner.py

    def note(self):
        return b""  # it binds nothing

    def draft(self):
        """A draft of a problem file, for `assay import`."""
        name = self.bundle.main.rpartition(".")[0]
        try:
            text, untranslated = draft.draft(self.model, self.fitting_arguments(), name, self.init)
        except draft.Untraceable as error:
            raise Unfit(f"torch.fx cannot trace it: {error}") from error
        return {"text": text, "untranslated": untranslated}

    def save(self, fd):
        text = json.dumps(self.draft() if self.bundle.head["drafts"] else self.describe())
        with open(fd, "wb", closefd=False) as out:
            out.write(text.encode())

    def take_values(self, tensors):
        """A reference has its parameters among the sources of each content."""
        return False

    def prepare(self, ins, outs, first_param, results):
        if not self.bundle.head["sources"]:
            return None  # this process only describes
        command, image = (calls.wrap(tensor, self.where) for tensor in ins)
        drawn, *values = (calls.wrap(tensor, self.where) for tensor in outs)
        numbers = [None if isinstance(value, torch.Tensor) else value for value in self.arguments(1)]
        return Order(self, command, views(image, self.bundle), views(drawn, self.bundle), values, numbers)

    def explain(self, error):
        if isinstance(error, entry.Refused):
            return "PYTHON: " + str(error).partition(": ")[2]
        if isinstance(error, Unfit):
            return f"PYTHON: {error}"
        return entry.explain(error, self.path)


def views(image, bundle):
    """The sources of a content in an image of it."""
    found = []
    for source in bundle.head["sources"]:
        dtype, size = calls.dtype_of(source["dtype"]), 1
        for dim in source["shape"]:
            size *= dim
        size *= torch.empty(0, dtype=dtype).element_size()
        found.append(image[source["offset"]: source["offset"] + size].view(dtype).view(source["shape"]))
    return found


class Order:
    """One pair of arenas of the judge's. numbers: arguments of forward(); None: a tensor."""

    def __init__(self, reference, command, sources, drawn, values, numbers):
        self.reference, self.command, self.numbers = reference, command, numbers
        self.sources, self.drawn, self.values = sources, drawn, values
        self.results = None  # nothing stays in this process

    def __call__(self):
        what, *seeds = self.command.tolist()
        if what == DRAW:
            self.store(self.reference.draw(*seeds), self.drawn)
        else:
            self.store(self.answers(what), self.values)
        self.reference.where.synchronize()

    def answers(self, what):
        count = self.numbers.count(None)
        tensors = iter(self.sources[:count])
        arguments = [next(tensors) if value is None else value for value in self.numbers]
        answer = self.reference.in_double if what == DOUBLE else self.reference.in_declared
        return answer(arguments, self.sources[count:])

    def store(self, got, places):
        if len(got) != len(places) or any(one.shape != place.shape for one, place in zip(got, places)):
            raise Unfit("the reference's tensors are not those that it described")
        for one, place in zip(got, places):
            place.copy_(one)
