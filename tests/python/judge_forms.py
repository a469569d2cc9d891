# SPDX-License-Identifier: MIT
"""Judges candidates in Python and compares each with what its own first comment says.

usage: judge_forms.py ASSAY FOLDER [--fixed] [ENTRY...]   files and folders of FOLDER; default: all

    # What it does. problem: level1/40 options: --timeout 500 expected: VERDICT: REASON: TEXT

The problem is level1/19 and there are no options, unless the comment says so; a problem *.lua lies beside FOLDER.
With --fixed they are judged with fixed weights, and each says before `expected:` what it has to get then:
`fixed: VERDICT: REASON: TEXT`. The record's detail has to contain TEXT. A folder says it in its file solution.py, or in about.txt.
Prints a line for each that differs, and exits 1 if any does.
"""
import collections
import json
import os
import re
import subprocess
import sys

FIELDS = re.compile(r"(?:problem: (?P<problem>\S+) )?(?:options: (?P<options>.*?) )?(?:fixed: (?P<fixed>.*) )?"
                    r"expected: (?P<expected>.*)")


def first_comment(path):
    if os.path.isdir(path):
        texts = [os.path.join(path, name) for name in ("about.txt", "solution.py")]
        path = next(text for text in texts if os.path.exists(text))
    lines = []
    with open(path, encoding="latin-1") as file:
        for line in file:
            if not line.startswith("#"):
                break
            lines.append(line.lstrip("#").strip())
    return " ".join(lines)


def read(folder, name, fixed):
    """(problem, options, [verdict, reason, text])"""
    found = FIELDS.search(first_comment(os.path.join(folder, name)))
    if not found or fixed and not found["fixed"]:
        sys.exit(f"{name}: no '{'fixed' if fixed else 'expected'}:' in its first comment")
    problem = found["problem"] or "level1/19"
    if problem.endswith(".lua"):
        problem = os.path.join(folder, os.pardir, problem)
    options = " ".join(filter(None, [found["options"], "--weights fixed" if fixed else ""]))
    return problem, options, found["fixed" if fixed else "expected"].split(": ", 2)


def judge(assay, folder, options, problems):
    """{name: record}; problems: {problem: names}. All with the same options share a command, in which a
    problem's own file can only be the first."""
    problems = dict(sorted(problems.items(), key=lambda item: not item[0].endswith(".lua")))
    names = [name for some in problems.values() for name in some]
    command = [assay, "eval", *options.split(), "--device", "cpu", "--sizes", "small", "--check-only", "--json"]
    for problem, some in problems.items():
        command += [problem, *(os.path.join(folder, name) for name in some)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if "no torch" in done.stdout + done.stderr:
        print("no torch for", command[0])
        sys.exit(77)
    records = [json.loads(line) for line in done.stdout.splitlines()]
    if len(records) != len(names):
        sys.exit(f"{len(records)} records of {len(names)}: {done.stderr}")
    return dict(zip(names, records))


def difference(record, expected):
    """What differs, or None."""
    verdict, reason, text = (expected + ["", ""])[:3]
    got = record["verdict"], record["reason"] or "", record["detail"] or ""
    if got[0] == verdict and reason in ("", got[1]) and " ".join(text.split()) in " ".join(got[2].split()):
        return None
    return f"expected {': '.join(expected)}; got {': '.join(got)}"


def main(assay, folder, *chosen):
    groups, wanted, bad = collections.defaultdict(lambda: collections.defaultdict(list)), {}, 0
    fixed, chosen = "--fixed" in chosen, [name for name in chosen if name != "--fixed"]
    for name in sorted(chosen or os.listdir(folder)):
        problem, options, wanted[name] = read(folder, name, fixed)
        groups[options][problem].append(name)
    for options, problems in groups.items():
        for name, record in judge(assay, folder, options, problems).items():
            text = difference(record, wanted[name])
            missing = set(record["sandbox"].get("missing", [])) - {"cgroup"}
            if text or missing:
                bad += 1
                print(f"{name}: {text or f'layers of the sandbox are missing: {missing}'}")
    print(f"{len(wanted)} candidates, {bad} not as expected", file=sys.stderr)
    return bad > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
