#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Every full-size problem of levels 1 to 3 against the published one, as facts.json holds it.

Inputs (dtype and shape), parameters (name and shape, in order), the constructor's arguments, the
output and the FLOPs of the contractions are equal, but for the differences listed here: those, too,
to the last FLOP. At small and medium sizes the constructor's arguments are of the published number
and types, and differ from the full size's only where a dimension does.
facts.json was made from KernelBench at 423217d (2026-03-05): one record per problem, FLOPs of
matrix products, convolutions and recurrences at 2 per multiply-add; "init" has the arguments'
names and values as Python writes them, "scalars" the places and values of numbers among the inputs.

usage: facts.py BUILD
Last line: N passed, N failed, N skipped
"""
import ast
import json
import os
import sys
import time

from judge import ROOT, Judge, JudgeError, problems

REPAIR = "repaired"  # the file must say so
COUNT = "counted otherwise"
# (level, id): kind, why, and what differs: the value, or how it follows from the published one
DIFFERENCES = {
    (1, 97): (
        COUNT,
        "the published count has 5 per softmax score",
        {"flops": lambda f: f - 5 * 32 * 32 * 512 * 512},
    ),
    (2, 66): (
        REPAIR,
        "the dropout mask is an input",
        {"inputs": [["f32", 128, 16384], ["bool", 128, 16384]]},
    ),
    (2, 83): (
        REPAIR,
        "the dropout mask is an input",
        {
            "inputs": [["f32", 128, 3, 16, 64, 64], ["bool", 128, 16, 14, 62, 62]],
            # The clamp starts at -1, not at 0, where nothing was left.
            "init": lambda init: [i.replace("0.0", "-1.0") for i in init],
        },
    ),
    (3, 24): (
        REPAIR,
        "batch 32 instead of 2: statistics of two samples amplify rounding",
        {
            "inputs": [["f32", 32, 3, 224, 224]],
            "output": ["f32", 32, 1000],
            "flops": lambda f: f * 16,
        },
    ),
    (3, 28): (
        REPAIR,
        "attention over 197 tokens instead of the batch of 2; without 5 per softmax score",
        {
            "flops": lambda f: f
            + 6 * 4 * 512 * 2 * 197 * 197
            - 6 * 4 * 512 * 197 * 2 * 2
            - 6 * 5 * 8 * 197 * 2 * 2
        },
    ),
    (3, 31): (
        COUNT,
        "the published count has 5 per softmax score",
        {"flops": lambda f: f - 5 * 2 * 4 * 16384 * 16384},
    ),
    (3, 32): (
        COUNT,
        "the published count has 5 per softmax score",
        {"flops": lambda f: f - 6 * 5 * 10 * 4 * 2 * 2},
    ),
    (3, 35): (
        REPAIR,
        "the random initial states are inputs",
        {"inputs": [["f32", 10, 512, 128], ["f32", 6, 10, 256], ["f32", 6, 10, 256]]},
    ),
    (3, 36): (
        COUNT,
        "nothing reads the result of fc: it is not computed",
        {"flops": lambda f: f - 2 * 10 * 256 * 10},
    ),
    (3, 37): (
        COUNT,
        "nothing reads the result of fc: it is not computed",
        {"flops": lambda f: f - 2 * 10 * 256 * 10},
    ),
    (3, 48): (
        COUNT,
        "scaling by the decays is elementwise",
        {"flops": lambda f: f - 2048 * 2 * 8 * 64 * (64 + 16 + 64)},
    ),
    (3, 49): (
        COUNT,
        "nothing reads the outputs within blocks; scaling by the decays is elementwise",
        {
            "flops": lambda f: f
            - 2 * 2048 * 2 * 8 * 64 * 64 * (16 + 64)
            - 2048 * 2 * 8 * 64 * (64 + 16)
        },
    ),
}
# No published constructor makes the small and medium sizes: widths that are no argument, ...
FULL_ONLY = {(1, 50), (2, 34)} | {
    (3, i) for i in (5, 7, 9, 10, 11, 12, 15, 16, 18, 19, 20, 22, 23, 24, 26)
}
# The published arguments are defaults, which small and medium sizes have to spell out: names of
# those that follow the published ones.
SWIN = ["img_size", "patch_size", "in_chans", "num_classes", "embed_dim", "depths", "num_heads"]
SPELLED_OUT = {
    (3, 29): SWIN,
    (3, 30): SWIN,
    (3, 32): ["num_layers", "mlp_ratio", "patch_size", "in_channels", "image_size"],
}
# Arguments that are axis 1 of the first input.
INPUT_WIDTHS = {"in_channels", "in_features", "num_features", "num_input_features"}
# Integers that are the same in all sizes, and a dimension only by chance: here the batch.
CHANCE = {(1, 73): "output_padding"}
# Integers that differ between sizes and are no dimension of a tensor: they count layers.
LAYERS = {(3, 28): "depth", (3, 38): "num_layers", (3, 41): "num_layers", (3, 42): "num_layers"}


def literal(construct):
    """The constructor's arguments as Python writes them, or None: there is no constructor."""
    if construct["init"] is None:
        return None
    return [repr(value) for value in ast.literal_eval(construct["init_python"])]


def found(answer):
    """The judge's answer in the words of facts.json."""
    forward = answer["construct"]["forward"]
    return {
        "init": literal(answer["construct"]),
        "scalars": [[i, a["value"]] for i, a in enumerate(forward) if "value" in a],
        "inputs": [[t["dtype"], *t["shape"]] for t in answer["inputs"]],
        "params": [
            [name, *t["shape"]] for name, t in zip(answer["construct"]["state"], answer["params"])
        ],
        "output": [[t["dtype"], *t["shape"]] for t in answer["outputs"]][-1],
        "flops": int(answer["flops"]),
    }


def leaves(full, here):
    """Pairs of numbers at the same place of two values; None where their types differ."""
    if type(full) is not type(here):
        return None
    if not isinstance(full, (list, tuple)):
        return [(full, here)]
    pairs = [leaves(f, h) for f, h in zip(full, here)]
    if len(full) != len(here) or None in pairs:
        return None
    return [pair for some in pairs for pair in some]


def dimensions(full, here):
    """Pairs of dimensions at the same place of the tensors of two sizes."""
    kinds = ("inputs", "params", "outputs")
    tensors = {t["name"]: t["shape"] for kind in kinds for t in here[kind]}
    return {
        pair
        for kind in kinds
        for t in full[kind]
        for pair in zip(t["shape"], tensors.get(t["name"], []))
    }


def check_argument(key, name, pair, full, here):
    """What is wrong with an argument at a smaller size, or nothing; pair: at full size and here."""
    numbers = leaves(*pair)
    if numbers is None:
        return f"{name} is {pair[1]!r}, at full size {pair[0]!r}"
    if name in INPUT_WIDTHS and pair[1] != here["inputs"][0]["shape"][1]:
        return f"{name} is {pair[1]}, the input is {here['inputs'][0]['shape']}"
    dims = dimensions(full, here)
    for f, h in numbers:
        if f != h and (f, h) not in dims and LAYERS.get(key) != name:
            return f"{name} is {h}, at full size {f}: no dimension"
        stays = f == h and f in (d[0] for d in dims) and (f, h) not in dims
        if stays and CHANCE.get(key) != name:
            return f"{name} is {h} as at full size, where it is a dimension that is another here"
    shapes = {tuple(t["shape"]): t["name"] for t in full["params"]}
    params = {t["name"]: tuple(t["shape"]) for t in here["params"]}
    if isinstance(pair[0], tuple) and pair[0] in shapes and pair[1] not in params.values():
        return f"{name} is {pair[1]}, {shapes[pair[0]]} is {params.get(shapes[pair[0]])}"
    return None


def check_widths(full_args, here_args, full, here):
    """What is wrong with widths, or nothing. If the first two arguments are the two widths of the
    first weight at full size, in either order, they are here as well."""

    def widths(size):
        weights = [t["shape"] for t in size["params"] if t["name"].endswith("weight")]
        return next((sorted(shape[:2]) for shape in weights if len(shape) > 1), None)

    def first_two(args):
        return sorted(args[:2]) if all(isinstance(a, int) for a in args[:2]) else None

    if widths(full) != first_two(full_args) or widths(here) == first_two(here_args):
        return []
    return [f"init: widths are {here_args[:2]}, those of the first weight {widths(here)}"]


def check_smaller(published, full, here):
    """The constructor's arguments at a smaller size: what is wrong, or nothing."""
    key = (published["level"], published["id"])
    if here["construct"]["init"] is None or key in FULL_ONLY:
        fits = (here["construct"]["init"] is None) == (key in FULL_ONLY)
        return [] if fits else ["init: FULL_ONLY says otherwise"]
    names = [name for name, _ in published["init"]]
    values = ast.literal_eval(here["construct"]["init_python"])
    more = SPELLED_OUT.get(key, [])
    if len(values) != len(names) + len(more):
        return [f"init: {values} for {', '.join(names + more)}"]
    full_values = ast.literal_eval(full["construct"]["init_python"])
    pairs = zip(full_values, values)
    wrong = [check_argument(key, n, pair, full, here) for n, pair in zip(names, pairs)]
    return ["init: " + w for w in wrong if w] + check_widths(full_values, values, full, here)


def check(judge, names, published):
    """What is wrong, or nothing."""
    if len(names) != 1:
        return [f"{len(names)} files"]
    try:
        answer = judge.ask("facts", names[0])
    except JudgeError as error:
        return [str(error)]
    kind, _, differences = DIFFERENCES.get((published["level"], published["id"]), (None, "", {}))
    have = found(answer)
    wrong = []
    if kind == REPAIR and not answer["repaired"]:
        wrong.append("differs from the published one, but does not say what was repaired")
    if len(answer["outputs"]) != 1:
        wrong.append(f"{len(answer['outputs'])} outputs")
    if len(have["inputs"]) != len(published["inputs"]) and not answer["foreign"]:
        wrong.append("forward has other arguments, but the file does not say foreign")
    if answer["construct"]["mode"] != "train":
        wrong.append("published modules are never put into eval mode")
    facts = dict(published, init=[value for _, value in published["init"]])
    facts.setdefault("scalars", [])
    for key, value in have.items():
        want = differences.get(key, facts[key])
        want = want(facts[key]) if callable(want) else want
        if value != want:
            wrong.append(f"{key}: {first_difference(value, want)}")
    for size in ("small", "medium"):
        if size in answer and have["init"] is not None:
            wrong += [f"{size}: {w}" for w in check_smaller(published, answer, answer[size])]
    return wrong


def first_difference(have, want):
    if isinstance(have, list) and isinstance(want, list) and len(have) == len(want) > 4:
        pairs = enumerate(zip(have, want))
        return next(f"number {i} is {h}, not {w}" for i, (h, w) in pairs if h != w)
    return f"{have}, not {want}"


def main():
    build = os.path.abspath(sys.argv[1])
    judge = Judge(build)
    begun = time.monotonic()
    files = {}
    with open(os.path.join(ROOT, "tests", "suites", "facts.json"), encoding="utf-8") as file:
        facts = json.load(file)
    for name in problems([]):
        level, rest = name.split("/")
        files.setdefault((int(level[-1]), int(rest.split("_")[0])), []).append(name)
    failed = 0
    for published in facts:
        key = (published["level"], published["id"])
        wrong = check(judge, files.pop(key, []), published)
        failed += bool(wrong)
        for line in wrong:
            print(f"FAILED {key[0]}/{key[1]} {published['name']}: {line}")
    for key, names in files.items():
        failed += 1
        print(f"FAILED {', '.join(names)}: there is no published {key[0]}/{key[1]}")
    judge.close()
    for (level, number), (kind, why, _) in DIFFERENCES.items():
        print(f"{level}/{number} {kind}: {why}")
    print(f"{len(facts)} published problems, {time.monotonic() - begun:.1f} s to trace all sizes")
    print(f"{len(facts) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
