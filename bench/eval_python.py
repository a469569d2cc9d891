#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How long a candidate in Python takes: first of a command, which imports torch, and the next ones.

    bench/eval_python.py ASSAY [--device cpu|cuda] [--sizes SET] [--candidates N] [--only TEXT] [--json FILE]

One `assay eval` judges the same module again and again. On the CPU (default: 21 times, small sizes) "start" is the time
until the three runners of a candidate are sealed and have loaded it, "empty" an order without a call.

On a GPU (default: 7 times, full sizes) it is modules in plain torch, Triton and CUDA. Times of the next candidates are
medians, in ms:

    first      until the first verdict; "build" beside it is what import, rehearsal and compilers take of that
    next, p95  a whole evaluation without waiting for the device
    build      import and rehearsal, from caches
    start      runners: waiting for spares, sealing, loading
    calls      the candidate's own calls
    expected   computing expected values
    ours       what is left of `next`: Assay's own overhead
    cold       the candidate's time in us, and that of a CUDA exemplar (.cu) in the same command

Rows that do not pass are shown as such, and the exit status is 1. Exits 77 where Python has no torch, or where there is
no GPU.
"""
import argparse
import datetime
import glob
import json
import os
import statistics
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CASES = ["level1_040", "level2_012", "level2_022", "level3_001"]
# problem, candidate of tests/gpu/python, exemplar
GPU_CASES = [
    ("level1/19", "triton_relu", "level1/019_relu/launch.cu"),
    ("level1/19", "inline_relu", "level1/019_relu/naive.cu"),
    ("level1/1", "torch_matmul", "level1/001_square_matrix_multiplication/tiled.cu"),
    ("level1/23", "torch_softmax", "level1/023_softmax/launch.cu"),
    ("level1/40", "torch_layer_norm", "level1/040_layer_norm/launch.cu"),
    ("level2/11", "torch_conv_block", "level2/011_conv_transpose2d_batch_norm_tanh_max_pool_group_norm/tiled.cu"),
    ("level2/22", "torch_linear_mish", "level2/022_matmul_scale_residual_clamp_logsumexp_mish/naive.cu"),
    ("level3/44", "torch_gpt_block", "level3/044_mini_gpt_block/tiled.cu"),
]
DEFAULTS = {"cpu": ("small", 21), "cuda": ("full", 7)}


def parse():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("assay")
    parser.add_argument("--device", choices=DEFAULTS, default="cpu")
    parser.add_argument("--sizes")
    parser.add_argument("--candidates", type=int)
    parser.add_argument("--only", default="", help="rows whose name contains this")
    parser.add_argument("--json")
    args = parser.parse_args()
    sizes, candidates = DEFAULTS[args.device]
    args.sizes, args.candidates = args.sizes or sizes, args.candidates or candidates
    if args.candidates < 2:
        parser.error("at least two candidates: the first one is shown apart")
    return args


def evaluate(args, problem, files):
    """Records of all candidates, and seconds until the first one was there."""
    start, first = time.monotonic(), None
    child = subprocess.Popen([args.assay, "eval", "--json", "--no-store", "--device", args.device, "--sizes",
                              args.sizes, problem, *files], stdout=subprocess.PIPE, text=True)
    records = []
    for line in child.stdout:
        if line.startswith("{"):
            first = first or time.monotonic() - start
            records.append(json.loads(line))
    child.wait()
    return records, first


def no_torch(records):
    return any("no torch" in r["detail"] for r in records)


def not_passed(records):
    return [f"{r['verdict']}: {r['reason']}: {r['detail']}" for r in records if r["verdict"] != "pass"]


def row_of(records, first):
    """Figures that every device has."""
    ms = [r["phases_ms"] for r in records[1:]]
    whole = sorted(m["total"] - m["queue"] for m in ms)
    medians = {key: statistics.median(m[phase] for m in ms)
               for key, phase in (("import_ms", "build"), ("start_ms", "start"), ("candidate_ms", "candidate"))}
    return {"first_s": first, "next_ms": statistics.median(whole), "next_p95_ms": whole[round(0.95 * (len(whole) - 1))],
            **medians, "empty_us": statistics.median(r["audit"]["sizes"][0]["empty_us"] or 0 for r in records)}


# --- on the CPU ---

def cpu_rows(args):
    """(name, row, record) of each case that there is; a case that does not pass ends it."""
    print(f"{'':<12}{'first, s':>10}{'next, ms':>10}{'p95':>8}{'import':>8}{'start':>8}{'calls':>8}{'empty, us':>11}")
    for case in (c for c in CASES if args.only in c):
        level, number = case.split("_")
        path = os.path.join(ROOT, "tests/python/modules", case + "_upstream.py")
        records, first = evaluate(args, f"{level}/{int(number)}", [path] * args.candidates)
        if not records or no_torch(records):
            return
        if not_passed(records):
            sys.exit(f"{case}: {not_passed(records)[0]}")
        row = row_of(records, first)
        print(f"{case:<12}{row['first_s']:>10.2f}{row['next_ms']:>10.0f}{row['next_p95_ms']:>8.0f}"
              f"{row['import_ms']:>8.0f}{row['start_ms']:>8.0f}{row['candidate_ms']:>8.0f}{row['empty_us']:>11.2f}",
              flush=True)
        yield case, row, records[0]


# --- on a GPU ---

def ours(ms):
    """Assay's own overhead in one evaluation, in ms."""
    return ms["total"] - ms["queue"] - ms["candidate"] - ms["expected"] - ms["build"]


def cold(records):
    """Median over evaluations of the first size's score, in us; None where nothing passed."""
    found = [r["sizes"][0]["cold_us"] for r in records if r["verdict"] == "pass"]
    return statistics.median(found) if found else None


def gpu_row(records, first, exemplar):
    ms = [r["phases_ms"] for r in records[1:]]
    size = records[-1]["sizes"][0]
    return {**row_of(records, first), "first_build_ms": records[0]["phases_ms"]["build"],
            "expected_ms": statistics.median(m["expected"] for m in ms), "ours_ms": statistics.median(map(ours, ms)),
            "cold_us": cold(records), "exemplar_cold_us": cold(exemplar),
            **{key: size[key] for key in ("held", "queue_us", "host_bound")},
            "phases_ms": {name: statistics.median(m[name] for m in ms) for name in ms[0]}}


def print_gpu_row(name, row):
    exemplar = f"{row['exemplar_cold_us']:.2f}" if row["exemplar_cold_us"] else "-"
    print(f"{name:<28}{row['first_s']:>9.2f}{row['first_build_ms'] / 1000:>9.2f}{row['next_ms']:>10.0f}"
          f"{row['next_p95_ms']:>8.0f}{row['import_ms']:>8.0f}{row['start_ms']:>8.0f}{row['candidate_ms']:>8.0f}"
          f"{row['expected_ms']:>10.0f}{row['ours_ms']:>8.0f}{row['cold_us']:>12.2f}{exemplar:>12}"
          f"{'' if row['held'] else '  not held'}", flush=True)


def gpu_rows(args):
    """(name, row, record) of each case. A case that does not pass has a row with `failed` alone."""
    print(f"{'':<28}{'first, s':>9}{'build, s':>9}{'next, ms':>10}{'p95':>8}{'build':>8}{'start':>8}{'calls':>8}"
          f"{'expected':>10}{'ours':>8}{'cold, us':>12}{'.cu, us':>12}")
    for problem, candidate, exemplar in GPU_CASES:
        name = f"{problem} {candidate}"
        if args.only not in name:
            continue
        path = os.path.join(ROOT, "tests/gpu/python", candidate + ".py")
        records, first = evaluate(args, problem,
                                  [path] * args.candidates + [os.path.join(ROOT, "exemplars/cuda", exemplar)])
        if no_torch(records):
            return
        mine, other = records[:args.candidates], records[args.candidates:]
        failed = not_passed(mine) or ([] if len(mine) == args.candidates else ["records are missing"])
        if failed:
            print(f"{name:<28} FAILED: {failed[0]}", flush=True)
            yield name, {"failed": failed[0]}, records[0] if records else None
            continue
        row = gpu_row(mine, first, other)
        print_gpu_row(name, row)
        yield name, row, records[0]


def write(args, rows, record):
    if not args.json or not record:
        return
    with open(args.json, "w") as file:
        json.dump({"bench": "eval_python", "date": datetime.date.today().isoformat(), "assay": record["assay"],
                   "device": record["device_info"]["name"], "python": record["build"]["toolchain"],
                   "cores": os.cpu_count(), "candidates": args.candidates, "sizes": args.sizes, "rows": rows}, file,
                  indent=1)
        file.write("\n")


def main():
    args = parse()
    if args.device == "cuda" and not glob.glob("/dev/nvidia[0-9]*"):
        print("no NVIDIA GPU here")
        return 77
    rows = {}
    for name, row, record in (gpu_rows if args.device == "cuda" else cpu_rows)(args):
        rows[name] = row
        write(args, rows, record)
    if not rows:
        print("no torch")
        return 77
    return 1 if any("failed" in row for row in rows.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
