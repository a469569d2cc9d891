#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Every problem of levels 1 to 3 against PyTorch, at small size, on Assay's own contents.

The emitted module (assay show P --as torch) runs on inputs and parameters of every law:
  in float64 it must equal the expected values to a relative RMS error of 1e-9, each output;
  in float32 its outputs must pass the gate, like any candidate's.

usage: compare.py BUILD [--seed N] [--contents N] [WORD...]
A WORD is part of a problem's name, or the path of a problem's file; without one all are compared.
Last line: N passed, N failed, N skipped
"""
import argparse
import concurrent.futures
import math
import os
import sys
import tempfile
import time
import traceback

import torch

from judge import Judge, problems

EXACT = 1e-9
DTYPES = {
    "f64": torch.float64,
    "f32": torch.float32,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "i64": torch.int64,
    "i32": torch.int32,
    "i8": torch.int8,
    "u8": torch.uint8,
    "bool": torch.bool,
}
WORKERS = 2
# (problem, what its module says, a mistake): both comparisons must see it.
MISTAKES = [
    ("level1/026_gelu", "F.gelu(x)", 'F.gelu(x, approximate="tanh")'),
    ("level1/001_square_matrix_multiplication", "matmul(a, b)", "matmul(a.half().to(a), b)"),
    ("level1/040_layer_norm", "eps=1e-05", "eps=1e-04"),
]

judge = None  # one per worker
seed, contents = 1, 0


def start(build, with_seed, at_least):
    global judge, seed, contents
    torch.set_num_threads(1)
    judge, seed, contents = Judge(build), with_seed, at_least


class Mismatch(Exception):
    """What was found, for the report."""


def tensors(data, at, specs, dtypes):
    """Tensors that lie one behind the other in data, and where they end."""
    out = []
    for spec, dtype in zip(specs, dtypes):
        count = math.prod(spec["shape"])
        values = torch.frombuffer(data, dtype=dtype, count=count, offset=at)
        out.append(values.reshape(spec["shape"]))
        at += count * values.element_size()
    return out, at


def declared(specs):
    return [DTYPES[s["dtype"]] for s in specs]


def read_content(problem, k, path):
    judge.ask("content", k, path)
    with open(path, "rb") as file:
        data = bytearray(file.read())
    inputs, at = tensors(data, 0, problem["inputs"], declared(problem["inputs"]))
    params, at = tensors(data, at, problem["params"], declared(problem["params"]))
    outputs = problem["outputs"]
    exact = [torch.float64 if d.is_floating_point else torch.int64 for d in declared(outputs)]
    expected, at = tensors(data, at, outputs, exact)
    assert at == len(data)
    # Parts of one buffer are not always aligned; copies are.
    return [t.clone() for t in inputs], [t.clone() for t in params], expected


def make_model(name, problem):
    """The module as a user would get it, and whether it keeps its promises."""
    space = {}
    exec(compile(problem["module"], name + ".py", "exec"), space)
    model = space["Model"](*space["get_init_inputs"]())
    names = [n for n, _ in model.named_parameters()]
    if names != [p["name"] for p in problem["params"]]:
        raise Mismatch(f"parameters are {names}")
    for have, want in zip(space["get_inputs"](), problem["inputs"]):
        if list(have.shape) != want["shape"] or have.dtype != DTYPES[want["dtype"]]:
            raise Mismatch(f"get_inputs gives {have.dtype} {list(have.shape)} for {want['name']}")
    return model


def run(model, problem, inputs, params, real):
    """The outputs with real (float32 or float64) wherever the problem says f32."""
    names = [p["name"] for p in problem["params"]]
    model.load_state_dict(dict(zip(names, params)))
    model.to(real)
    with torch.no_grad():
        out = model(*[t.to(real) if t.dtype == torch.float32 else t for t in inputs])
    out = list(out) if isinstance(out, (tuple, list)) else [out]
    if len(out) != len(problem["outputs"]):
        raise Mismatch(f"{len(out)} outputs")
    for have, want in zip(out, problem["outputs"]):
        dtype = real if want["dtype"] == "f32" else DTYPES[want["dtype"]]
        if list(have.shape) != want["shape"] or have.dtype != dtype:
            raise Mismatch(f"{want['name']} is {have.dtype} {list(have.shape)}")
    return out


def relative_error(got, want):
    if not want.dtype.is_floating_point:
        return 0.0 if torch.equal(got.to(want.dtype), want) else math.inf
    finite = torch.isfinite(want)
    if not torch.equal(got[~finite], want[~finite]) or not torch.isfinite(got[finite]).all():
        return math.inf
    got, want = got[finite], want[finite]
    scale = want.square().sum().sqrt().item()
    error = (got - want).square().sum().sqrt().item()
    return error / scale if scale > 0 else (0.0 if error == 0 else math.inf)


def compare_exact(model, problem, folder):
    """In float64, on one content of each law: the worst relative RMS error."""
    worst = 0.0
    model.to(torch.float64)
    for k in range(problem["laws"]):
        inputs, params, expected = read_content(problem, k, folder + "/content")
        outputs = run(model, problem, inputs, params, torch.float64)
        for spec, got, want in zip(problem["outputs"], outputs, expected):
            error = relative_error(got, want)
            worst = max(worst, error)
            if not error <= EXACT:
                raise Mismatch(f"float64: {spec['name']} differs by {error:.3g} (law {k})")
    return worst


def compare_gate(model, problem, folder):
    """In float32, on every content there is: the worst error as a part of the gate's limit."""
    worst = 0.0
    model.to(torch.float32)
    for k in range(problem["contents"]):
        inputs, params, _ = read_content(problem, k, folder + "/content")
        with open(folder + "/answer", "wb") as file:
            for got in run(model, problem, inputs, params, torch.float32):
                file.write(got.contiguous().numpy().tobytes())
        verdict = judge.ask("judge", k, folder + "/answer")
        if not verdict["pass"]:
            raise Mismatch(f"float32, law {k % problem['laws']}: {verdict['detail']}")
        worst = max(worst, verdict["of_limit"])
    verdict = judge.ask("pooled")
    if not verdict["pass"]:
        raise Mismatch(f"float32: {verdict['detail']}")
    return max(worst, verdict["of_limit"])


def compare(name):
    """(passed, line for the report)"""
    begun = time.monotonic()
    try:
        with tempfile.TemporaryDirectory() as folder:
            problem = judge.ask("open", name, seed, contents)
            model = make_model(name, problem)
            exact = compare_exact(model, problem, folder)
            part = compare_gate(model, problem, folder)
    except Mismatch as found:
        return False, f"FAILED {name}: {found}"
    except Exception as error:  # whatever the module raises is a result, too
        where = traceback.extract_tb(error.__traceback__)[-1]
        what = f"{type(error).__name__}: {error} ({where.name}:{where.lineno})"
        return False, f"FAILED {name}: {what}"
    ms = (time.monotonic() - begun) * 1e3
    return True, f"passed {name:<68} f64 {exact:8.1e}   f32 {part:6.1%} of the limit {ms:6.0f} ms"


def overlooks(name, right, wrong):
    """The checks that a module with a mistake passes: there must be none."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        problem = judge.ask("open", name, seed, contents)
        assert right in problem["module"]
        problem["module"] = problem["module"].replace(right, wrong)
        model = make_model(name, problem)
        for check in (compare_exact, compare_gate):
            try:
                check(model, problem, folder)
                found.append(check.__name__)
            except Mismatch:
                pass
    return found


def main():
    parser = argparse.ArgumentParser(usage="compare.py BUILD [--seed N] [--contents N] [WORD...]")
    parser.add_argument("build", type=os.path.abspath)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--seed", type=int, default=seed)
    parser.add_argument("--contents", type=int, default=contents)
    args = parser.parse_intermixed_args()
    passed = failed = 0
    begun = time.monotonic()
    start_with = (args.build, args.seed, args.contents)
    with concurrent.futures.ProcessPoolExecutor(WORKERS, None, start, start_with) as pool:
        for good, line in pool.map(compare, problems(args.words)):
            print(line, flush=True)
            passed += good
            failed += not good
        for name, right, wrong in MISTAKES:
            for check in pool.submit(overlooks, name, right, wrong).result():
                print(f"FAILED {check} does not see {wrong} in {name}")
                failed += 1
    print(f"PyTorch {torch.__version__}, {time.monotonic() - begun:.0f} s", flush=True)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
