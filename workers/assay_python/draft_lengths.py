# SPDX-License-Identifier: MIT
"""Lengths of a draft's inputs that get a name, and their small values.

A length gets a name if forward also works at two other lengths, and if the texts written there
differ in nothing but numbers that follow from it: a multiple, a multiple of its square, or a multiple
and a rest."""
import math
import time

import torch

from . import tracing
from .draft_ops import NUMBER
from .draft_text import TAKEN, Writer, free_name
from .tracing import Untraceable

AXES = {1: "N", 2: "BN", 3: "BTC", 4: "BCHW", 5: "BCDHW"}
SMALL_ELEMENTS, SMALL_ROW, SMALL_BATCH, SMALL_OUTPUT = 65536, 16, 4, 64
TRIALS_S = 20  # time for finding named lengths; later ones stay plain numbers


class Length:
    """A length of the inputs. places: (number of the input, axis)."""

    def __init__(self, value, places):
        self.value, self.places, self.name, self.forms = value, places, "", {}


def resize(inputs, lengths):
    """Inputs with other lengths: [(Length, new value)]."""
    changed = list(inputs)
    for length, value in lengths:
        for number, axis in length.places:
            changed[number] = stretch(changed[number], axis, value)
    return changed


def stretch(tensor, axis, value):
    """A part of an axis, or the axis again and again."""
    have = tensor.shape[axis]
    if value > have:
        tensor = torch.cat([tensor] * -(-value // have), axis)
    return tensor.narrow(axis, 0, value).contiguous()


def candidates(inputs):
    """Groups of equal lengths. Where a group does not work: its first axes alone; the first axis of the first
    input with the second axes of the others, as the states of a recurrent net have them."""
    groups = {}
    for number, tensor in enumerate(inputs):
        for axis, value in enumerate(tensor.shape if isinstance(tensor, torch.Tensor) else ()):
            groups.setdefault(value, []).append((number, axis))
    for value, places in groups.items():
        firsts = [place for place in places if place[1] == 0]
        states = [place for place in places if place == (0, 0) or place[0] > 0 and place[1] == 1]
        if value > 1:
            choices = [choice for choice in (firsts, states) if choice and choice != places]
            yield [Length(value, choice) for choice in (places, *choices)]


def two_other_values(value):
    if value >= 64:
        return value // 4, value // 2
    return (value // 2, value - value // 4) if value >= 8 else (2 * value, 3 * value)


FORMS = (  # how a number may follow from a length: (factor, power, rest)
    lambda n, v: (v // n, 1, 0) if v % n == 0 else None,
    lambda n, v: (v // (n * n), 2, 0) if v % (n * n) == 0 else None,
)


def value_of(form, n):
    factor, power, rest = form
    return factor * n ** power + rest


def form_of(n, v, points):
    """The form of a number that is v at length n, and at two points (length, number)."""
    (n1, v1), _ = points
    tried = [make(n, v) for make in FORMS]
    if (v - v1) % (n - n1) == 0:
        slope = (v - v1) // (n - n1)
        tried.append((slope, 1, v - slope * n))
    return next((form for form in tried if form and all(value_of(form, pn) == pv for pn, pv in points)), None)


def numbers_of(text):
    return [int(number) for number in NUMBER.findall(text)]


def follow(base, length, trials):
    """{place of a number in the text: its form}, or None: the drafts differ in more than numbers."""
    skeleton, numbers = NUMBER.sub("#", base), numbers_of(base)
    if any(NUMBER.sub("#", text) != skeleton for _, text in trials):
        return None
    forms = {}
    for place, value in enumerate(numbers):
        points = [(n, numbers_of(text)[place]) for n, text in trials]
        if all(v == value for _, v in points):
            continue
        forms[place] = form_of(length.value, value, points)
        if forms[place] is None:
            return None
    return forms


def try_length(members, inputs, base, length):
    trials = []
    for value in two_other_values(length.value):
        try:
            trials.append((value, Writer(members, resize(inputs, [(length, value)])).text))
        except Untraceable:
            return False
    forms = follow(base, length, trials)
    length.forms = forms or {}
    return bool(forms)


def fits_with(length, others):
    """A number that follows from several lengths must be a product of them."""
    for place in length.forms:
        with_it = [other.forms[place] for other in others if place in other.forms] + [length.forms[place]]
        if len(with_it) > 1 and any(rest for _, _, rest in with_it):
            return False
    return True


def named_lengths(members, inputs, base):
    found, until = [], time.monotonic() + TRIALS_S
    taken = {*TAKEN, *tracing.input_names(members.module, inputs)}
    for choices in candidates(inputs):
        for length in choices:
            if time.monotonic() < until and try_length(members, inputs, base, length) and fits_with(length, found):
                length.name = free_name(letter_of(inputs, length), taken)
                taken.add(length.name)
                found.append(length)
                break
    return found


def letter_of(inputs, length):
    number, axis = length.places[0]
    letters = AXES.get(inputs[number].dim())
    return letters[axis] if letters else f"D{axis}"


def spelled(place, value, lengths):
    """A number by the names of the lengths that it follows from."""
    using = [length for length in lengths if place in length.forms]
    if not using:
        return str(value)
    factor, words, rest = value, [], 0
    for length in using:
        _, power, rest = length.forms[place]
        words += [length.name] * power
        factor = (factor - rest) // length.value ** power
    text = " * ".join(([str(factor)] if factor != 1 else []) + words)
    return f"{text} {'+' if rest > 0 else '-'} {abs(rest)}" if rest else text


def with_names(text, lengths):
    out, end = [], 0
    for place, match in enumerate(NUMBER.finditer(text)):
        word = spelled(place, int(match.group(1)), lengths)
        before = text[: match.start()].rstrip()[-1:]
        out += [text[end : match.start()], f"({word})" if " " in word and before not in ",{(=" else word]
        end = match.end()
    return "".join(out + [text[end:]])


def numbers_at(base, lengths, values):
    """The numbers of the text at other lengths."""
    at = []
    for place, number in enumerate(numbers_of(base)):
        for length, value in zip(lengths, values):
            if place in length.forms:
                _, power, rest = length.forms[place]
                number = (number - rest) // length.value ** power * value ** power + rest
        at.append(number)
    return at


def elements_at(inputs, lengths, values):
    """Elements of all inputs at these lengths."""
    shapes = [list(x.shape) if isinstance(x, torch.Tensor) else [0] for x in inputs]
    for length, value in zip(lengths, values):
        for number, axis in length.places:
            shapes[number][axis] = value
    return sum(map(math.prod, shapes))


def small_values(inputs, lengths):
    """Values of the small size: halved, the first length first, until the inputs are small."""
    values = [length.value for length in lengths]
    for i, length in enumerate(lengths):
        is_row = any(axis == inputs[number].dim() - 1 for number, axis in length.places)
        least = SMALL_ROW if is_row else SMALL_BATCH
        while elements_at(inputs, lengths, values) > SMALL_ELEMENTS and values[i] // 2 >= least:
            values[i] //= 2
    return values


def choose_small(members, inputs, base, lengths):
    """Values of the small size at which forward works as the names say, and leaves enough outputs; else the
    full ones."""
    full, values = [length.value for length in lengths], small_values(inputs, lengths)
    while values != full:
        try:
            writer = Writer(members, resize(inputs, list(zip(lengths, values))))
        except Untraceable:
            return full
        if numbers_of(writer.text) != numbers_at(base, lengths, values):
            return full
        if sum(math.prod(ref.shape) for ref in writer.outputs) >= SMALL_OUTPUT or values[0] == full[0]:
            break
        values[0] = min(2 * values[0], full[0])
    return values
