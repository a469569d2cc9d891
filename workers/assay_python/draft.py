# SPDX-License-Identifier: MIT
"""A draft of a problem file from a module in PyTorch, for `assay import`.

The module is traced (tracing.py), every step is spelled in the problem language (draft_text.py,
draft_ops.py, draft_layers.py), and free lengths get names (draft_lengths.py). A step that cannot be
translated is named, and an input stands in its place: such a draft loads, and takes other inputs
than the module does."""
import torch

from . import tracing
from .draft_lengths import choose_small, named_lengths, with_names
from .draft_ops import Untranslated
from .draft_text import Members, Writer, one_line, python_to_lua, quoted
from .tracing import Untraceable

MODE_EVAL = ', mode = "eval"'
MANY_PARAMETERS = 1000000


def init_line(init, untranslated):
    try:
        return f"init({', '.join(map(python_to_lua, init))})"
    except Untranslated as why:
        untranslated.append(f"get_init_inputs: {why} among the constructor's arguments")
        return f"-- NOT TRANSLATED: the constructor takes {why}: write init(...) by hand."


def size_set(lengths, values):
    return "{ " + ", ".join(f"{length.name} = {value}" for length, value in zip(lengths, values)) + " }"


def integer_laws(text, inputs, names, limits):
    """Replaces the marks that stand for laws of whole numbers: the limits are known when all is written."""
    for name, value in zip(names, inputs):
        if isinstance(value, torch.Tensor) and f", @{name}@" in text:
            low, high = int(value.min()), int(value.max()) + 1
            if name in limits:
                low, high = 0, limits[name]
            text = text.replace(f", @{name}@", f", ints({low}, {high})")
    return text


def notes(module, inputs, names, same):
    lines = []
    positive = [name for name, x in zip(names, inputs)
                if isinstance(x, torch.Tensor) and x.is_floating_point() and x.numel() and float(x.min()) >= 0]
    if positive:
        lines.append(f"-- The reference never drew a negative {', '.join(positive)}; here numbers have both signs. Give "
                     "a law such as bands(0.1, 1) where they must not.")
    if same:
        lines.append("-- small is full: its inputs are small already, or no length could be shown to be free.")
    if sum(p.numel() for p in module.parameters()) > MANY_PARAMETERS:
        lines.append("-- small keeps the shapes of the parameters: name their lengths to make it faster.")
    return lines


def draft(module, inputs, name, init=()):
    """(text of a problem file, lines on what could not be translated). module: constructed with the
    arguments `init`; inputs: what forward takes. Raises Untraceable, with why, if there is no graph."""
    inputs, members = list(inputs), Members(module)
    names = tracing.input_names(module, inputs)
    writer = Writer(members, inputs)
    if Writer(members, inputs).text != writer.text:
        raise Untraceable("forward does something else when it is called again")
    lengths = named_lengths(members, inputs, writer.text)
    full, small = [length.value for length in lengths], choose_small(members, inputs, writer.text, lengths)
    untranslated = list(writer.untranslated)
    title = one_line(name)
    sizes = f"full = {size_set(lengths, full)}, small = {size_set(lengths, small)}"
    if not lengths:  # a file has to name one
        sizes = "full = { SIZE = 1 }, small = { SIZE = 1 }"
    head = [f"-- A draft that `assay import` made of {title}. Read it, then run `assay admit`, which decides.",
            f'problem {{ {quoted(title)}{"" if module.training else MODE_EVAL} }}', f"sizes {{ {sizes} }}",
            init_line(init, untranslated), *[f"-- Not translated: {line}" for line in untranslated],
            *notes(module, inputs, names, full == small)]
    body = integer_laws(with_names(writer.text, lengths), inputs, names, writer.limits)
    return "\n".join(head) + "\n\n" + body, untranslated
