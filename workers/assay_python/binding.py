# SPDX-License-Identifier: MIT
"""Which parameter of the problem is which of the candidate's: by name; by a name that differs in
dots, case and habit only; by a shape that only one on each side has; by order among equal shapes,
weight with weight and bias with bias."""
import re

STATISTICS = ("running_mean", "running_var", "num_batches_tracked")
HABITS = {"w": "weight", "gamma": "weight", "b": "bias", "beta": "bias", "weights": "weight", "biases": "bias"}
WRAPPERS = {"model", "module", "net", "layer", "self", "param", "params"}


def normalised(name):
    words = [HABITS.get(word, word) for word in re.split(r"[^a-z0-9]+", name.lower()) if word]
    return "".join(word for word in words if word not in WRAPPERS) or "".join(words)


def kind_of(name):
    words = [HABITS.get(word, word) for word in re.split(r"[^a-z0-9]+", name.lower()) if word]
    last = next((word for word in reversed(words) if not word.isdigit()), "")  # b.0: of a ParameterList
    return "bias" if last.endswith("bias") else "weight"


def members(model):
    """Parameters and buffers of a module by name; statistics of norms are the candidate's own."""
    found = dict(model.named_parameters())
    for name, buffer in model.named_buffers():
        if name.rpartition(".")[2] not in STATISTICS:
            found[name] = buffer
    return found


class Matcher:
    """wanted and have: {name: (shape, dtype)}. `bound` is {wanted name: (have name, rule)}."""

    def __init__(self, wanted, have):
        self.wanted, self.have, self.bound = dict(wanted), dict(have), {}

    def take(self, name, other, rule):
        self.bound[name] = other, rule
        del self.wanted[name], self.have[other]

    def by_key(self, key, rule):
        """Pairs of which each is the only one on its side with this key."""
        mine, theirs = group(self.wanted, key), group(self.have, key)
        for value, names in mine.items():
            if len(names) == 1 and len(theirs.get(value, ())) == 1:
                self.take(names[0], theirs[value][0], rule)

    def by_order(self):
        key = lambda name, what: (kind_of(name), what)
        mine, theirs = group(self.wanted, key), group(self.have, key)
        for value, names in mine.items():
            if len(names) == len(theirs.get(value, ())):
                for name, other in zip(names, theirs[value]):
                    self.take(name, other, "order")


def group(side, key):
    found = {}
    for name, what in side.items():
        found.setdefault(key(name, what), []).append(name)
    return found


def bind(wanted, have):
    """(bound, names of the problem's that are left over)"""
    match = Matcher(wanted, have)
    match.by_key(lambda name, what: (name, what), "name")
    match.by_key(lambda name, what: (normalised(name), what), "normalised")
    match.by_key(lambda name, what: what, "shape")
    match.by_order()
    return match.bound, list(match.wanted)


def note(wanted, bound):
    """A line for each of the problem's parameters, in order: its rule, and a name that differs from its own
    (src/process/bound.h)."""
    lines = (rule if other == name else f"{rule} {other}" for name in wanted for other, rule in [bound[name]])
    return "".join(line + "\n" for line in lines).encode("ascii", "backslashreplace")


def describe(side):
    return ", ".join(f"{name} {str(dtype).replace('torch.', '')} {list(shape)}" for name, (shape, dtype) in side.items()) or "none"
