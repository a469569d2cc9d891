#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Every full-size problem of levels 1 to 3 against the published one, as facts.json holds it.

Inputs (dtype and shape), parameters (name and shape, in order), the output and the FLOPs of the
contractions are equal, but for the differences listed here: those, too, to the last FLOP.
facts.json was made from KernelBench at 423217d (2026-03-05): one record per problem, FLOPs of
matrix products, convolutions and recurrences at 2 per multiply-add; scalar inputs are left out.

usage: facts.py BUILD
Last line: N passed, N failed, N skipped
"""
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
        {"inputs": [["f32", 128, 3, 16, 64, 64], ["bool", 128, 16, 14, 62, 62]]},
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


def found(answer):
    """The judge's answer in the words of facts.json."""
    return {
        "inputs": [[t["dtype"], *t["shape"]] for t in answer["inputs"]],
        "params": [[t["name"], *t["shape"]] for t in answer["params"]],
        "output": [[t["dtype"], *t["shape"]] for t in answer["outputs"]][-1],
        "flops": int(answer["flops"]),
    }


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
    for key, value in have.items():
        want = differences.get(key, published[key])
        want = want(published[key]) if callable(want) else want
        if value != want:
            wrong.append(f"{key}: {first_difference(value, want)}")
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
