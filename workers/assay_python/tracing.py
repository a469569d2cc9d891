# SPDX-License-Identifier: MIT
"""A module's graph by torch.fx. Every step is also carried out, so shapes and lengths are plain
numbers while forward runs: math.sqrt(x.size(-1)), loops over time and views by shape can be traced.
What depends on the values of a tensor cannot, and is refused."""
import inspect
import operator
import sys
import traceback
import weakref

import torch
from torch import fx

MOST_NODES = 5000
# Answers of tensors that depend on their kind alone, not on their values.
ASKED_OF_KIND = ("size", "dim", "numel", "nelement", "ndimension", "stride", "element_size", "is_contiguous", "__len__",
                 "is_floating_point", "is_complex", "get_device", "type", "storage_offset", "is_signed", "__get__")


class Untraceable(Exception):
    """forward has no graph, and why."""


class Kind:
    """Shape and dtype of a tensor."""

    def __init__(self, tensor):
        self.shape, self.dtype = tuple(tensor.shape), tensor.dtype


def nested(value, change, leaf):
    """value with each object of type `leaf` in it changed, in tuples, lists, dicts and slices."""
    if isinstance(value, leaf):
        return change(value)
    if isinstance(value, (tuple, list)):
        items = [nested(item, change, leaf) for item in value]
        return items if isinstance(value, list) else tuple(items)
    if isinstance(value, dict):
        return {key: nested(item, change, leaf) for key, item in value.items()}
    if isinstance(value, slice):
        return slice(*(nested(part, change, leaf) for part in (value.start, value.stop, value.step)))
    return value


def objects_in(value, leaf):
    found = []
    nested(value, found.append, leaf)
    return found


def storage_of(tensor):
    return tensor.untyped_storage().data_ptr() if hasattr(tensor, "untyped_storage") else tensor.storage().data_ptr()


def no_values(what):
    def refuse(self, *_):
        raise Untraceable(f"forward {what}")
    return refuse


class Step(fx.Proxy):
    """A node with its value: a tensor, or a tuple with tensors in it."""

    def __getattr__(self, name):
        value = self.__dict__.get("value")
        answer = getattr(value, name)
        if isinstance(value, tuple) and isinstance(answer, torch.Tensor):  # the .values of torch.max
            return self[[item is answer for item in value].index(True)]
        if isinstance(answer, torch.Tensor):  # .T, .mT
            return self.tracer.create_proxy("call_function", getattr, (self, name), {})
        if callable(answer):
            return lambda *args, **kwargs: self.tracer.create_proxy("call_method", name, (self, *args), kwargs)
        return answer

    def __iter__(self):
        return (self[i] for i in range(len(self.value)))

    def __len__(self):
        return len(self.value)

    __bool__ = no_values("decides by a tensor's values")
    __int__ = __float__ = __index__ = no_values("makes a plain number of a tensor")
    __setitem__ = no_values("writes to a part of a tensor")


def define_in_place(name):
    target = getattr(operator, name)
    setattr(Step, f"__{name}__",
            lambda self, other: self.tracer.create_proxy("call_function", target, (self, other), {}))


for in_place in ("iadd", "isub", "imul", "itruediv", "ipow"):
    define_in_place(in_place)


class Tracer(fx.Tracer):
    """inputs: {name: a tensor or a plain value}, in the order of forward's arguments."""

    def __init__(self, inputs, is_layer):
        super().__init__()
        self.inputs, self.is_layer = inputs, is_layer
        self.running, self.file, self.alive = False, "", []

    def proxy(self, node):
        return Step(node, self)

    def is_leaf_module(self, m, module_qualified_name):
        return self.is_layer(m)

    def call_module(self, m, forward, args, kwargs):
        return forward(*args, **kwargs) if self.running else super().call_module(m, forward, args, kwargs)

    def getattr(self, attr, attr_val, parameter_proxy_cache):
        return attr_val if self.running else super().getattr(attr, attr_val, parameter_proxy_cache)

    def create_args_for_root(self, root_fn, is_module, concrete_args=None):
        self.file = root_fn.__code__.co_filename
        return root_fn, [self.root] + [self.create_proxy("placeholder", name, (), {}) for name in self.inputs]

    def create_proxy(self, kind, target, args, kwargs, name=None, type_expr=None, proxy_factory_fn=None):
        tensors = [step.value for step in objects_in((args, kwargs), Step)]
        versions = [tensor._version if isinstance(tensor, torch.Tensor) else 0 for tensor in tensors]
        value = self.run(kind, target, args, kwargs)
        if not objects_in(value, torch.Tensor):
            self.check_plain(kind, target)
            return value
        step = super().create_proxy(kind, target, args, kwargs, name, type_expr)
        step.value = value
        step.node.meta["kind"] = nested(value, Kind, torch.Tensor)
        step.node.meta["line"] = self.line()
        if len(self.graph.nodes) > MOST_NODES:
            raise Untraceable(f"forward takes more than {MOST_NODES} steps")
        for tensor, version in zip(tensors, versions):
            if isinstance(tensor, torch.Tensor) and tensor._version != version:
                self.rebind(tensor, step)
        self.alive.append(weakref.ref(step))
        return step

    def run(self, kind, target, args, kwargs):
        args, kwargs = (nested(part, lambda step: step.value, Step) for part in (args, kwargs))
        self.running = True
        try:
            if kind == "placeholder":
                return self.inputs[target]
            if kind == "get_attr":
                return operator.attrgetter(target)(self.root)
            if kind == "call_module":
                return self.root.get_submodule(target)(*args, **kwargs)
            if kind == "call_method":
                return getattr(args[0], target)(*args[1:], **kwargs)
            return target(*args, **kwargs)
        finally:
            self.running = False

    def check_plain(self, kind, target):
        """A plain answer may depend on shapes, but not on values."""
        name = target if isinstance(target, str) else getattr(target, "__name__", str(target))
        if kind in ("call_method", "call_function") and name not in ASKED_OF_KIND:
            raise Untraceable(f"{name}() makes a plain value of a tensor")

    def rebind(self, changed, step):
        """A tensor was changed in place: whoever has it has the new step from now on."""
        self.alive = [ref for ref in self.alive if ref() is not None]
        for ref in self.alive:
            other = ref()
            if not isinstance(other.value, torch.Tensor) or storage_of(other.value) != storage_of(changed):
                continue
            if other.value is not changed:
                raise Untraceable("forward changes a tensor in place, of which it also has a view")
            other.node = step.node

    def line(self):
        """The innermost line of the module's own file."""
        frame = sys._getframe(1)
        while frame and frame.f_code.co_filename != self.file:
            frame = frame.f_back
        return frame.f_lineno if frame else 0


def input_names(module, inputs):
    """Names of forward's arguments, for as many as there are inputs."""
    names = []
    for parameter in inspect.signature(type(module).forward).parameters.values():
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            names.append(parameter.name)
    names = names[1 : len(inputs) + 1]
    names += ["" for _ in range(len(names), len(inputs))]
    return [name if name and name.isascii() else f"x{i}" for i, name in enumerate(names)]


def trace(module, inputs, is_layer):
    """The graph of forward, its nodes with meta["kind"] and meta["line"]. is_layer(m): a module that is
    one node of the graph."""
    tracer = Tracer(dict(zip(input_names(module, inputs), inputs)), is_layer)
    try:
        with torch.no_grad():
            return tracer.trace(module)
    except Exception as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == tracer.file]
        text = str(error) if isinstance(error, Untraceable) else f"{type(error).__name__}: {error}"
        place = f" (line {lines[-1]})" if lines else ""
        raise Untraceable((text.splitlines() or [""])[0] + place) from error
