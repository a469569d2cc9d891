#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Drafts of problem files (workers/assay_python/draft.py), held against the modules that they were made of.

usage: drafts.py BUILD references|problems|cases

A draft has to load. `assay show DRAFT --as torch` turns it into a module again, and with the same parameters both give the
same numbers in double, to 1e-9.

references: those beside this file. Each draft is admitted, and its reference passes as a candidate of it.
problems: what `assay show P --as torch` prints for levels 1 to 3.
cases: modules below, each with what its draft has to say.

All of it is our own code, so it is imported here as it is. Prints one line for each that fails, and a count.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

import torch

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, f"{HERE}/../../workers"]
sys.dont_write_bytecode = True

import draft_cases  # noqa: E402
from assay_python import draft, tracing  # noqa: E402
from check import load  # noqa: E402

EXACT = 1e-9
# Drafts that name what they could not translate, and why that is so.
NOT_WHOLE = {
    "level3/30": "a constant of shape",  # tables of positions and masks
    **{f"level3/{n}": "the language has nothing like it" for n in range(35, 43)},  # torch.lstm and torch.gru as functions
}


def assay(build, *args):
    done = subprocess.run([f"{build}/assay", *args], capture_output=True, text=True)
    assert done.returncode == 0, f"assay {args[0]}: {(done.stderr or done.stdout).strip()[:300]}"
    return done.stdout


def results(model, inputs):
    with torch.no_grad():
        y = model.double()(*[x.double() if isinstance(x, torch.Tensor) and x.is_floating_point() else x for x in inputs])
    return [y] if isinstance(y, torch.Tensor) else list(tracing.objects_in(y, torch.Tensor))


def save(name, text):
    with open(name, "w") as file:
        file.write(text)
    return name


def compare(build, model, inputs, path):
    """Whether a draft's own module gives the same."""
    again = load(save(path.replace(".lua", "_draft.py"), assay(build, "show", path, "--as", "torch"))).Model()
    have = dict(model.named_parameters())
    assert [name for name, _ in again.named_parameters()] == list(have), "parameters have another order"
    with torch.no_grad():
        for name, parameter in again.named_parameters():
            parameter.copy_(have[name])
    wanted, found = results(model, inputs), results(again, inputs)
    assert len(wanted) == len(found), f"{len(found)} outputs, not {len(wanted)}"
    for a, b in zip(wanted, found):
        assert a.shape == b.shape, f"an output has shape {list(b.shape)}, not {list(a.shape)}"
        differ = (a.double() - b.double())[a != b].abs()
        error = float(differ.max() / a.double().abs().max()) if differ.numel() else 0.0
        assert error < EXACT, f"values differ by {error:.1e}"


def make(module, inputs, name, init=()):
    text, untranslated = draft.draft(module, inputs, name, init)
    return save(f"{name}.lua", text), text, untranslated


def try_reference(build, path):
    reference, name = load(path), os.path.basename(path)[:-3]
    torch.manual_seed(3)
    init, inputs = reference.get_init_inputs(), reference.get_inputs()
    model = reference.Model(*init)
    file, _, untranslated = make(model, inputs, name, init)
    assert not untranslated, f"not translated: {untranslated}"
    compare(build, model, inputs, file)
    assay(build, "admit", file)
    with open(path) as source:
        renamed = re.sub(r"\bModel\b", "ModelNew", source.read())
    assay(build, "eval", file, save(f"{name}.py", renamed), "--sizes", "small", "--check-only", "--no-store")


def try_problem(build, problem):
    name = problem.replace("/", "_")
    source = load(save(f"{name}.py", assay(build, "show", problem, "--as", "torch")))
    torch.manual_seed(3)
    inputs = source.get_inputs()
    model = source.Model()
    file, _, untranslated = make(model, inputs, name, source.get_init_inputs())
    if problem in NOT_WHOLE:
        assert any(NOT_WHOLE[problem] in line for line in untranslated), f"named instead: {untranslated}"
        assay(build, "show", file)
        return
    assert not untranslated, f"not translated: {untranslated}"
    compare(build, model, inputs, file)


def try_case(build, case):
    torch.manual_seed(3)
    model, inputs = case.model(), case.inputs()
    try:
        file, text, untranslated = make(model, inputs, case.name)
    except draft.Untraceable as error:
        assert case.untraceable and re.search(case.untraceable, str(error)), f"cannot be traced: {error}"
        return
    assert not case.untraceable, "it can be traced"
    for want in case.says:
        assert re.search(want, text), f"the draft lacks {want!r}:\n{text}"
    if case.untranslated:
        assert re.search(case.untranslated, "\n".join(untranslated)), f"not translated: {untranslated}"
        assert "NOT TRANSLATED" in text, "the draft does not say what is not translated"
    else:
        assert not untranslated, f"not translated: {untranslated}"
    if case.loads:
        assay(build, "show", file)
    if case.loads and not case.untranslated:
        compare(build, model, inputs, file)


def main():
    build, what = os.path.abspath(sys.argv[1]), sys.argv[2]
    tried, tries = {
        "references": (try_reference, sorted(glob.glob(f"{HERE}/level*.py"))),
        "problems": (try_problem, [f"level{level}/{n}" for level, most in ((1, 100), (2, 100), (3, 50))
                                   for n in range(1, most + 1)]),
        "cases": (try_case, draft_cases.CASES),
    }[what]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for each in tries:
            try:
                tried(build, each)
            except (AssertionError, draft.Untraceable) as error:
                failed += 1
                print(f"{getattr(each, 'name', each)}: {error}")
        os.chdir("/")
    print(f"{len(tries) - failed} of {len(tries)} drafts are as they should be")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
