# SPDX-License-Identifier: MIT
"""Declarations and steps of a draft, at one set of inputs. Whole numbers stand between marks
(draft_ops.py)."""
import torch

from . import draft_layers, draft_ops, tracing
from .draft_ops import DTYPES, OPS, Ref, Several, Untranslated, lua
from .tracing import Untraceable

LUA_WORDS = ("and break do else elseif end false for function goto if in local nil not or repeat return then true "
             "until while").split()
OWN_WORDS = ("m nn math input param output init tuple scalar problem sizes state lib iota full take rearrange ints "
             "normal uniform bernoulli expand").split()
TAKEN = {*LUA_WORDS, *OWN_WORDS, *OPS, *DTYPES.values()} - {"T", "t"}


def free_name(name, taken):
    while name in taken:
        name += "_"
    return name


def quoted(text):
    """A string of Lua: a stranger's names stay names."""
    plain = "".join(c for c in text if c.isascii() and c.isprintable())
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"'


def one_line(text):
    """Text for a comment."""
    return "".join(c if c.isascii() and c.isprintable() else " " for c in text)


def python_to_lua(value):
    """An argument of a constructor, as init() takes it."""
    if value is None:
        return "nil"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, list):
        return "{ " + ", ".join(map(python_to_lua, value)) + " }"
    if isinstance(value, tuple):
        return "tuple(" + ", ".join(map(python_to_lua, value)) + ")"
    raise Untranslated(f"a {type(value).__name__}")


class Variables:
    """Names of the draft's locals. A name is used again when nobody needs its tensor any more: Lua has at
    most 200 of them in a function."""

    def __init__(self, last_use):
        self.last_use, self.holders, self.free, self.made = last_use, {}, [], 0

    def hold(self, name, node):
        self.holders.setdefault(name, set()).add(node)

    def release(self, place):
        """Frees the names whose last user stands at this place; the first argument's comes first."""
        freed = []
        for name, nodes in self.holders.items():
            nodes_left = {node for node in nodes if self.last_use.get(node, -1) > place}
            if nodes and not nodes_left:
                freed.append(name)
            self.holders[name] = nodes_left
        self.free = freed + [name for name in self.free if name not in freed]

    def take(self):
        """(name, whether it is new)"""
        return (self.free.pop(0), False) if self.free else self.make()

    def make(self):
        self.made += 1
        return f"t{self.made}", True


class Members:
    """Declarations of a module's layers and parameters, in the module's order."""

    def __init__(self, module):
        self.module, self.lines, self.layers = module, [], set()
        covered = []
        for path, part in module.named_modules():
            if any(path.startswith(prefix) for prefix in covered):
                continue
            layer = draft_layers.layer_of(part)
            if layer and path:
                covered.append(path + ".")
                self.layers.add(part)
                self.lines.append(f"{member(path)} = {layer(quoted(path))}")
                continue
            for name, value in part._parameters.items():
                if value is not None:
                    self.declare(f"{path}.{name}" if path else name, value)
        if self.lines:
            self.lines.insert(0, "local m = {}")

    def declare(self, name, value):
        dtype = DTYPES.get(value.dtype, "f32")
        law = draft_layers.law_of(value)
        self.lines.append(f'{member(name)} = param({quoted(name)}, {dtype}, {lua(tuple(value.shape))}, {law})')


class Writer:
    """Writes declarations and forward of one module at one set of inputs."""

    def __init__(self, members, inputs):
        self.members, self.module = members, members.module
        self.graph = tracing.trace(self.module, inputs, members.layers.__contains__)
        forget_statistics(self.graph)
        self.names = dict(zip(tracing.input_names(self.module, inputs), inputs))
        self.stood, self.untranslated = {}, []
        self.nodes = live_nodes(self.graph, {})
        self.write()
        if self.stood:  # steps that only lead to stand-ins are left out
            found = list(self.untranslated)
            self.nodes = live_nodes(self.graph, self.stood)
            self.write()
            self.untranslated = found + [line for line in self.untranslated if line not in found]

    def write(self):
        self.lines, self.untranslated, self.limits = [], [], {}
        self.values, self.outputs, self.constants = {}, [], {}
        self.variables = Variables({used: place for place, node in enumerate(self.nodes)
                                    for used in node.all_input_nodes})
        for name, value in self.names.items():
            self.declare_input(name, value)
        self.lines += ["", *self.members.lines, ""] if self.members.lines else [""]
        for self.place, node in enumerate(self.nodes):
            self.step(node)
        self.text = "\n".join(self.lines) + "\n"

    def say(self, line):
        self.lines.append(line)

    # ------------------------------------------------ declarations

    def declare_input(self, name, value):
        if isinstance(value, (bool, int, float)):
            self.say(f'scalar("{name}", {python_to_lua(value)})')
            return
        node = next((n for n in self.nodes if n.op == "placeholder" and n.target == name), None)
        if not isinstance(value, torch.Tensor) or value.dtype not in DTYPES:
            kind = value.dtype if isinstance(value, torch.Tensor) else type(value).__name__
            self.leave_out(f"input {name}: a {kind}", 0)
            return
        if node is None:  # the loader refuses an input that no output needs
            self.leave_out(f"input {name}: no output of the draft needs it", 0)
            return
        variable = free_name(name, TAKEN)
        law = self.law_of_input(name, value)
        self.say(f'local {variable} = input("{name}", {DTYPES[value.dtype]}, {lua(tuple(value.shape))}{law})')
        bound = None if value.is_floating_point() else lambda limit: self.limits.setdefault(name, limit)
        self.values[node] = Ref(variable, tracing.Kind(value), bound)
        self.variables.hold(variable, node)

    def law_of_input(self, name, value):
        if value.is_floating_point() or value.is_complex():
            return ""
        if value.dtype == torch.bool:
            return f", bernoulli({round(value.float().mean().item(), 2)})"
        return f", @{name}@"  # ints(): the limit is known when all steps are written

    def leave_out(self, text, line):
        self.untranslated.append(one_line(f"line {line}: {text}" if line else text))

    # ------------------------------------------------ steps

    def step(self, node):
        if node.op == "placeholder":
            return
        if node.op == "output":
            self.write_outputs(node)
            return
        if node in self.stood:
            self.stand_in(node, self.stood[node])
            return
        try:
            self.take(node, self.expression(node))
        except Untranslated as why:
            self.stand_in(node, str(why))

    def argument(self, value):
        found = self.values.get(value)
        if found is None:
            raise Untranslated(f"needs {value.name}, which is not translated")
        return found

    def expression(self, node):
        args, kwargs = (tracing.nested(part, self.argument, torch.fx.Node) for part in (node.args, node.kwargs))
        if node.op == "get_attr":
            value = attribute_of(self.module, node.target)
            if isinstance(value, torch.nn.Parameter):
                self.values[node] = Ref(member(node.target), tracing.Kind(value))
                return None
            return draft_ops.constant(value)
        if node.op == "call_module":
            return draft_layers.apply(self.module.get_submodule(node.target), member(node.target), args, kwargs)
        name = draft_ops.name_of(node.target)
        if name == "getitem" and isinstance(args[0], (list, tuple)):
            self.values[node] = part_of(args[0], args[1])
            return None
        return draft_ops.translate(name, node.meta["kind"], args, kwargs)

    def take(self, node, written):
        """Gives what was written a name."""
        if written is None:
            return
        if isinstance(written, Several):
            self.take_several(node, written)
        elif isinstance(written, list):
            self.take_parts(node, written)
        else:
            self.take_one(node, written)

    def take_one(self, node, text):
        same = next((name for name in self.variables.holders if name == text), None)
        kind = node.meta.get("kind") or tracing.Kind(attribute_of(self.module, node.target))
        if kind.dtype not in DTYPES:
            raise Untranslated(f"its type is {kind.dtype}")
        if same or text.startswith("m.") and text.isidentifier():
            self.values[node] = Ref(text, kind)
            self.variables.hold(text, node)
            self.variables.release(self.place)
            return
        self.variables.release(self.place)
        name, new = self.variables.take()
        self.say(f"{'local ' if new else ''}{name} = {text}")
        self.values[node] = Ref(name, kind)
        self.variables.hold(name, node)

    def users_of_parts(self, node):
        """[(index, node that takes this part of a tuple)]"""
        return [(user.args[1], user) for user in self.nodes
                if user.op == "call_function" and draft_ops.name_of(user.target) == "getitem" and user.args[0] is node]

    def take_parts(self, node, expressions):
        """A tuple of which each part has an expression: those that are used, before any name is freed."""
        users = self.users_of_parts(node)
        used = {index % len(expressions) for index, _ in users if isinstance(index, int)}
        if any(not isinstance(index, int) for index, _ in users) or not users:
            used = set(range(len(expressions)))
        wanted = [index for index in sorted(used) if expressions[index] is not None]
        if len(wanted) == 1:
            self.variables.release(self.place)
        self.values[node] = [None] * len(expressions)
        for index in wanted:
            name, new = self.variables.take() if len(wanted) == 1 else self.variables.make()
            self.say(f"{'local ' if new else ''}{name} = {expressions[index]}")
            self.values[node][index] = Ref(name, node.meta["kind"][index])
            self.hold_tuple(name, node)
        self.variables.release(self.place)

    def take_several(self, node, several):
        self.variables.release(self.place)
        taken = [self.variables.take() for _ in range(several.count)]
        names, new = ", ".join(name for name, _ in taken), [name for name, is_new in taken if is_new]
        if 0 < len(new) < len(taken):
            self.say(f"local {', '.join(new)}")
        self.say(f"{'local ' if len(new) == len(taken) else ''}{names} = {several.text}")
        refs = iter([name for name, _ in taken])
        self.values[node] = tracing.nested(node.meta["kind"], lambda kind: Ref(next(refs), kind), tracing.Kind)
        for name, _ in taken:
            self.hold_tuple(name, node)

    def hold_tuple(self, name, node):
        """A tuple's name is held by everybody who takes a part, or a part of a part."""
        self.variables.hold(name, node)
        if isinstance(node.meta["kind"], tuple):
            for _, user in self.users_of_parts(node):
                self.hold_tuple(name, user)

    def stand_in(self, node, why):
        """Inputs in the place of a step's results, as far as they are used and have a type that inputs can have."""
        if node.op == "get_attr" and node.target in self.constants:
            self.values[node] = self.constants[node.target]
            return
        what = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", str(node.target))
        what = "a tensor that forward makes" if what.startswith("_tensor_constant") else what
        self.stood[node] = why
        line, number = node.meta.get("line", 0), list(self.stood).index(node) + 1
        self.leave_out(f"{what}: {why}", line)
        place = f" (line {line})" if line else ""
        self.say(one_line(f"-- NOT TRANSLATED: {what}{place}: {why}. An input stands in its place."))
        kind = node.meta["kind"] if "kind" in node.meta else tracing.Kind(attribute_of(self.module, node.target))
        if isinstance(kind, tracing.Kind):
            self.values[node] = self.declare_stand_in(f"untranslated_{number}", kind)
        else:
            used = {index for index, _ in self.users_of_parts(node)}
            self.values[node] = [self.declare_stand_in(f"untranslated_{number}_{i}", each) if i in used else None
                                 for i, each in enumerate(kind)]
        if node.op == "get_attr":
            self.constants[node.target] = self.values[node]

    def declare_stand_in(self, label, kind):
        if not isinstance(kind, tracing.Kind) or kind.dtype not in DTYPES:
            return None
        law = "" if kind.dtype.is_floating_point else ", bernoulli(0.5)" if kind.dtype == torch.bool else ", ints(0, 2)"
        self.say(f'local {label} = input("{label}", {DTYPES[kind.dtype]}, {lua(kind.shape)}{law})')
        return Ref(label, kind)

    def write_outputs(self, node):
        found = tracing.objects_in(node.args[0], torch.fx.Node)
        if isinstance(node.args[0], dict):
            raise Untraceable("forward returns a dict")
        if not found:
            raise Untraceable("forward returns no tensor")
        refs = []
        for result in found:
            refs += tracing.objects_in(self.values.get(result) or [], Ref)
            if self.values.get(result) is None:
                self.leave_out(f"output {result.name}: it is not translated", 0)
        single = next(name for name in ("y", "out", "result") if name not in self.names)
        for i, ref in enumerate(refs):
            label = single if len(refs) == 1 else f"{single}{i}"
            self.outputs.append(ref)
            self.say(f'output("{label}", {ref.text})')


def forget_statistics(graph):
    """Norms that take the statistics of the batch do not read the running ones."""
    for node in graph.nodes:
        if node.op == "call_function" and draft_ops.name_of(node.target) in ("batch_norm", "instance_norm") and \
                (node.kwargs.get("training") or node.kwargs.get("use_input_stats")):
            node.args = node.args[:1]
            node.kwargs = {name: value for name, value in node.kwargs.items() if not name.startswith("running_")}


def live_nodes(graph, stood):
    """Nodes on which the output depends, in order. Nothing is needed by those that stood in the place of others."""
    needed = set()
    for node in reversed(graph.nodes):
        if node.op == "output" or node in needed:
            needed.add(node)
            if node not in stood:
                needed.update(node.all_input_nodes)
    return [node for node in graph.nodes if node in needed]


def member(path):
    """m.conv, or m["network.0"]: a layer or a parameter of the module."""
    plain = path.isascii() and path.isidentifier() and path not in LUA_WORDS
    return f"m.{path}" if plain else f"m[{quoted(path)}]"


def attribute_of(module, path):
    for name in path.split("."):
        module = getattr(module, name)
    return module


def part_of(values, index):
    found = values[index]
    if found is None:
        raise Untranslated("this part of a tuple is not translated")
    return found
