# SPDX-License-Identifier: MIT
"""Fixed weights: a module that has the judge's values while it is constructed, so that it may pack them.

The class is constructed twice. The first time shows which registered tensor is which parameter of the
problem. The second time each of them gets its values at the moment when it is first registered, and
initialisers leave it alone. A later registration under the same name is the candidate's own: a pack of
the first one, perhaps. The memory is the candidate's, too."""
import torch
from torch import nn

from . import entry

# Methods by which initialisers write. Those of torch.nn.init use more, and are replaced as well.
WRITERS = ("uniform_", "normal_", "random_", "exponential_", "log_normal_", "cauchy_", "geometric_", "bernoulli_",
           "zero_", "fill_")


def memory_of(tensor):
    """Address and number of elements, by which views of a whole tensor are known; None: it has no memory."""
    try:
        return (tensor.data_ptr(), tensor.nelement()) if tensor.nelement() else None
    except RuntimeError:
        return None


class Held:
    """Tensors that hold values of the judge's. They are known by their memory, which is kept."""

    def __init__(self):
        self.tensors = {}

    def add(self, tensor):
        self.tensors[memory_of(tensor)] = tensor.data

    def __contains__(self, tensor):
        return bool(self.tensors) and isinstance(tensor, torch.Tensor) and memory_of(tensor) in self.tensors


held = Held()


def unless_held(function):
    def initialise(tensor, *args, **kwargs):
        return tensor if tensor in held else function(tensor, *args, **kwargs)

    return initialise


def guard_initialisers():
    """Before the candidate is imported, since it may import them by name."""
    for name, function in list(vars(nn.init).items()):
        if name.endswith("_") and not name.startswith("_") and callable(function):
            setattr(nn.init, name, unless_held(function))


class Patched:
    """Attributes of a class that are others for a while. changes: {name: new value}"""

    def __init__(self, cls, changes):
        self.cls, self.changes = cls, changes

    def __enter__(self):
        self.own = {name: vars(self.cls)[name] for name in self.changes if name in vars(self.cls)}
        for name, value in self.changes.items():
            setattr(self.cls, name, value)

    def __exit__(self, *_):
        for name in self.changes:
            if name in self.own:
                setattr(self.cls, name, self.own[name])
            else:
                delattr(self.cls, name)


def guarded_writers():
    return Patched(torch.Tensor, {name: unless_held(getattr(torch.Tensor, name)) for name in WRITERS})


def registrations(seen):
    """seen(module, name, tensor) is called after every registration of a parameter or buffer."""
    add_parameter, add_buffer, set_attribute = nn.Module.register_parameter, nn.Module.register_buffer, nn.Module.__setattr__

    def register_parameter(self, name, param):
        add_parameter(self, name, param)
        if param is not None:
            seen(self, name, param)

    def register_buffer(self, name, tensor, *args, **kwargs):
        add_buffer(self, name, tensor, *args, **kwargs)
        if tensor is not None:
            seen(self, name, tensor)

    def __setattr__(self, name, value):
        set_attribute(self, name, value)
        if isinstance(value, torch.Tensor) and self.__dict__.get("_buffers", {}).get(name) is value:
            seen(self, name, value)

    return Patched(nn.Module, {"register_parameter": register_parameter, "register_buffer": register_buffer,
                               "__setattr__": __setattr__})


def first_of_each(names):
    """The list with None in the place of a name that was there before."""
    seen, kept = set(), []
    for name in names:
        kept.append(name if name not in seen else None)
        seen.add(name)
    return kept


def put(tensor, value):
    try:
        tensor.data.copy_(value)
    except RuntimeError:  # several of its elements share memory, or there is none
        tensor.data = value.to(device=tensor.device, dtype=tensor.dtype, copy=True)


class Twice:
    """build: constructs the model."""

    def __init__(self, build):
        self.build, self.events = build, []

    def first(self):
        with registrations(lambda *event: self.events.append(event)):
            return self.build()

    def plan(self, model, bound, tensors):
        """bound: {name in the model: name in the problem}; tensors: {name in the problem: tensor of the model}.
        Afterwards self.names has, for each registration, the problem's parameter to be put there, or None."""
        prefixes = {id(module): name + "." if name else "" for name, module in model.named_modules()}
        # Of a helper that is not in the model, of a module that was compiled since, or under one more name.
        by_memory = {memory_of(tensor): name for name, tensor in tensors.items() if tensor.nelement()}
        self.names = first_of_each(bound.get(prefixes[id(module)] + name if id(module) in prefixes else None)
                                   or by_memory.get(memory_of(tensor)) for module, name, tensor in self.events)
        self.events = []

    def second(self, values):
        """values: {name in the problem: tensor}"""
        left, at = dict(values), iter(self.names)

        def seen(module, name, tensor):
            wanted = next(at, None)
            if wanted in left and tensor.shape == left[wanted].shape:
                put(tensor, left.pop(wanted))
                held.add(tensor)

        with registrations(seen), guarded_writers():
            model = self.build()
        held.tensors.clear()
        if left:
            raise entry.Refused("construct", f"no place for {', '.join(left)} when it is constructed again; with fixed "
                                "weights the constructor runs twice, and has to register the same tensors")
        return model
