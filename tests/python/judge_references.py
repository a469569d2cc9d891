# SPDX-License-Identifier: MIT
"""Judges against every reference of tests/ref.

usage: judge_references.py ASSAY FOLDER good|bad

good  The reference's own module passes, also in the place of our problem of the same number; with inputs rounded to
      bf16 it is wrong. In double its answers are those of the module that `assay show --as torch` prints for our
      problem, to 1e-9 (tests/suites holds that module against our expected values).
bad   Each is refused, with exit status 3, one line, and the words that its first comment ends with.

Exits 77 if no Python has torch."""
import json
import os
import re
import subprocess
import sys

LOWER = """


class ModelNew(Model):
    def forward(self, *inputs):
        return super().forward(*[value.bfloat16().float() if getattr(value, "dtype", None) == torch.float32 else value
                                 for value in inputs])
"""

# Arguments: pairs of files, the reference and the module of our problem. Prints those that differ.
COMPARE = """
import importlib.util, sys
import torch

def load(path):
    spec = importlib.util.spec_from_file_location(path.replace("/", "_"), path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

def difference(ref, ours):
    torch.manual_seed(1)
    mine = ref.Model(*(ref.get_init_inputs() if hasattr(ref, "get_init_inputs") else [])).double()
    other = ours.Model(*ours.get_init_inputs()).double()
    state = dict(mine.named_parameters())
    for name, parameter in other.named_parameters():
        parameter.data.copy_(state[name].data)
    inputs = [x.double() if torch.is_tensor(x) and x.is_floating_point() else x for x in ref.get_inputs()]
    results = [model(*[x.clone() if torch.is_tensor(x) else x for x in inputs]) for model in (mine, other)]
    lists = [r if isinstance(r, (tuple, list)) else [r] for r in results]
    return max(((a.double() - b.double()).abs().max() / a.double().abs().max().clamp(min=1e-30)).item()
               for a, b in zip(*lists))

torch.set_grad_enabled(False)
for ref, ours in zip(sys.argv[1::2], sys.argv[2::2]):
    try:
        off = difference(load(ref), load(ours))
    except Exception as error:
        off = repr(error)
    if not (isinstance(off, float) and off < 1e-9):
        print(f"{ref}: in double it differs from our problem: {off}")
"""


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    if "no torch" in done.stderr:
        print(done.stderr.strip())
        sys.exit(77)
    return done


def records(assay, *words):
    done = run(assay, "eval", *words, "--device", "cpu", "--check-only", "--json")
    try:
        return [json.loads(line) for line in done.stdout.splitlines()]
    except ValueError:
        return []


def verdicts(found):
    return [f"{r['verdict']}: {r['reason']}" if r["reason"] else r["verdict"] for r in found]


def place_of(path):
    """("1", "19") of level1_19.py"""
    return re.match(r"level(\d)_(\d+)\.py", os.path.basename(path)).groups()


def judge_good(assay, path):
    """What is wrong, a line each."""
    text = open(path).read()
    for name, more in (("honest.py", ""), ("lower.py", LOWER)):
        with open(name, "w") as file:
            file.write(text + more)
    found = records(assay, "--ref", path, "honest.py", "lower.py")
    if verdicts(found)[:1] != ["pass"] or not (verdicts(found)[1:] or [""])[0].startswith("wrong: "):
        yield f"{verdicts(found)} instead of pass, wrong"
    if any(r["reference"]["expected"] != "double" or not r["reference"]["admitted"] for r in found):
        yield "not in double, or not admitted"


def judge_by_our_problems(assay, paths):
    """Lines about modules that do not pass our problem of the same number; all in one command."""
    words = [word for path in paths for word in ("level{}/{}".format(*place_of(path)), path)]
    found = records(assay, *words, "--sizes", "small")
    if len(found) != len(paths):
        yield f"{len(found)} of {len(paths)} were judged by our problems"
    for path, verdict in zip(paths, verdicts(found)):
        if verdict != "pass":
            yield f"{path}: against our problem: {verdict}"


def python_with_torch():
    for python in filter(None, (os.environ.get("ASSAY_PYTHON"), "python3", "/usr/bin/python3")):
        if subprocess.run([python, "-c", "import torch"], capture_output=True).returncode == 0:
            return python
    print("no torch")
    sys.exit(77)


def compare_in_double(assay, paths):
    """Lines about those that differ from our problem of the same number."""
    words = []
    for path in paths:
        level, number = place_of(path)
        ours = f"ours_{level}_{number}.py"
        with open(ours, "w") as file:
            file.write(run(assay, "show", f"level{level}/{number}", "--as", "torch", "--sizes", "small").stdout)
        words += [path, ours]
    done = run(python_with_torch(), "-c", COMPARE, *words)
    return (done.stdout + done.stderr).splitlines()


def judge_bad(assay, path):
    want = re.search(r"expected: (.*)", open(path).read())[1]
    done = run(assay, "eval", "--ref", path, path, "--device", "cpu", "--check-only", "--build-timeout", "4000")
    if done.returncode != 3 or done.stdout or done.stderr.count("\n") != 1 or want not in done.stderr:
        yield f"exit {done.returncode}, wanted {want!r}: {done.stdout + done.stderr}"


def main():
    assay, folder, kind = sys.argv[1:]
    folder = os.path.join(folder, "bad") if kind == "bad" else folder
    wanted = re.compile(r"level\d_\d+\.py$" if kind == "good" else r".*\.py$")
    paths = [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if wanted.match(name)]
    judge = {"good": judge_good, "bad": judge_bad}[kind]
    lines = [f"{os.path.basename(path)}: {line}" for path in paths for line in judge(assay, path)]
    if kind == "good":
        lines += [*judge_by_our_problems(assay, paths), *compare_in_double(assay, paths)]
    print("\n".join(lines))
    return bool(lines) or not paths


sys.exit(main())
