#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds that the references beside this file are what they claim to be.

usage: check.py BUILD

levelL_N.py is problem levelL/N at its `small` size: the same inputs, parameters in the same order, the same arguments of
the constructor. float32 agrees with double, and two calls agree bit by bit. Prints one line for each file that fails.
These files are our own: they are imported here as they are.
"""
import ast
import glob
import importlib.util
import json
import os
import re
import subprocess
import sys

import torch

HERE = os.path.dirname(os.path.abspath(__file__))
FACTOR = 1e-4


def load(path):
    spec = importlib.util.spec_from_file_location("reference", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def small_of(build, problem):
    out = subprocess.run([f"{build}/assay", "show", problem, "--json"], capture_output=True, text=True, check=True).stdout
    return next(size for size in json.loads(out)[0]["sizes"] if size["set"] == "small")


def shapes(tensors):
    return [list(tensor.shape) for tensor in tensors]


def check_problem(reference, model, inputs, small):
    """Whether a reference and a problem have the same interface."""
    names, params = zip(*model.named_parameters()) if list(model.parameters()) else ((), ())
    assert list(names) == small["module"]["state"], f"parameters {names}, the problem has {small['module']['state']}"
    assert shapes(params) == [p["shape"] for p in small["params"]], "parameters have other shapes"
    assert shapes(inputs) == [x["shape"] for x in small["inputs"]], "inputs have other shapes"
    assert reference.get_init_inputs() == ast.literal_eval(small["module"]["init_python"]), "other constructor arguments"


def check_values(model, inputs):
    y, again = (model(*[x.clone() for x in inputs]) for _ in range(2))
    assert torch.equal(y, again), "two calls differ"
    assert y.dtype == torch.float32 and bool(torch.isfinite(y).all()), "the output is not finite float32"
    exact = model.double()(*[x.double() if x.is_floating_point() else x for x in inputs])
    error = float((y.double() - exact).abs().max() / exact.abs().max())
    assert error < FACTOR, f"float32 and double differ by {error:.1e}"


def check(build, path):
    reference = load(path)
    torch.manual_seed(3)
    model, inputs = reference.Model(*reference.get_init_inputs()), reference.get_inputs()
    found = re.search(r"level(\d)_(\d+)\.py$", path)
    if found:
        check_problem(reference, model, inputs, small_of(build, "level%s/%s" % found.groups()))
    with torch.no_grad():
        check_values(model, inputs)


def main():
    failed, paths = 0, sorted(glob.glob(f"{HERE}/level*.py")) + [f"{HERE}/relu_never_negative.py"]
    for path in paths:
        try:
            check(sys.argv[1], path)
        except AssertionError as error:
            failed += 1
            print(f"{os.path.basename(path)}: {error}")
    print(f"{len(paths) - failed} of {len(paths)} references are as they should be")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
