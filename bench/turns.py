#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whole evaluations with two trees in turn, so that a drift of the machine meets both. Did a change make them slower?

    bench/turns.py BEFORE AFTER [--rounds 5] [--device cuda] [--sizes full] [--limit S] [--json FILE]

A tree is a dist tree or a checkout that is built. Each problem's exemplar is judged twice in one `assay eval`, with its
build cached: "first" opens the device and draws contents, "second" finds both there. "overhead" is the time without
the candidate's own calls and without expected values. Medians of the rounds, in ms.
"""
import argparse
import datetime
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

CASES = ["level1/001_square_matrix_multiplication/tiled", "level1/019_relu/launch", "level1/023_softmax/launch",
         "level1/040_layer_norm/launch", "level1/063_conv_standard_2d/tiled",
         "level2/011_conv_transpose2d_batch_norm_tanh_max_pool_group_norm/tiled",
         "level2/022_matmul_scale_residual_clamp_logsumexp_mish/naive", "level3/044_mini_gpt_block/tiled"]
CPU_FILES = {"tiled": "naive.c", "launch": "fast.c", "naive": "naive.c"}


def parse():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--sizes", default="full")
    parser.add_argument("--limit", type=float, default=float("inf"))
    parser.add_argument("--json")
    return parser.parse_args()


class Tree:
    def __init__(self, name, folder, work):
        self.name, self.folder = name, os.path.abspath(folder)
        programs = os.path.join(self.folder, "bin")
        self.assay = os.path.join(programs if os.path.isdir(programs) else os.path.join(self.folder, "build"), "assay")
        self.env = dict(os.environ, ASSAY_SHARE=self.folder)
        for place in ("home", "cache"):
            self.env["ASSAY_" + place.upper()] = os.path.join(work, f"{name}_{place}")
            os.makedirs(self.env["ASSAY_" + place.upper()])

    def evaluate(self, args, case):
        """The two records, and the wall clock of the command in ms."""
        problem, file = os.path.split(case)
        kind = "cuda" if args.device.startswith("cuda") else "cpu"
        file = file + ".cu" if kind == "cuda" else CPU_FILES[file]
        path = os.path.join(self.folder, "exemplars", kind, problem, file)
        if not os.path.exists(path):
            return None
        start = time.monotonic()
        out = subprocess.run([self.assay, "eval", "--json", "--no-store", "--device", args.device, "--sizes", args.sizes,
                              problem, path, path], env=self.env, stdout=subprocess.PIPE, text=True).stdout
        wall_ms = 1e3 * (time.monotonic() - start)
        records = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
        if [r["verdict"] for r in records] != ["pass", "pass"]:
            sys.exit(f"{self.name}: {case}: {[(r['verdict'], r['detail']) for r in records]}")
        return records, wall_ms


def figures(records):
    ms = [r["phases_ms"] for r in records]
    whole = [ms[0]["load"] + ms[0]["open"] + ms[0]["total"], ms[1]["total"]]
    return {"first": whole[0], "second": whole[1],
            "first_overhead": whole[0] - ms[0]["candidate"] - ms[0]["expected"],
            "second_overhead": whole[1] - ms[1]["candidate"] - ms[1]["expected"]}


def table(rows):
    print(f"{'ms, medians':<14}" + "".join(f"{what:>26}" for what in ("first", "its overhead", "second", "its overhead")))
    for case, row in rows.items():
        cells = ""
        for what in ("first", "first_overhead", "second", "second_overhead"):
            before, after = (statistics.median(r[what] for r in row[name]) for name in ("before", "after"))
            cells += f"{before:>10.0f} -> {after:<6.0f}{100 * (after / before - 1):>+5.1f}%"
        print(f"{case[:10]:<14}{cells}  {min(map(len, row.values()))} rounds", flush=True)


def main():
    args = parse()
    deadline = time.monotonic() + args.limit
    with tempfile.TemporaryDirectory() as work:
        trees = [Tree("before", args.before, work), Tree("after", args.after, work)]
        rows, versions = {}, {}
        for n in range(args.rounds + 1):  # the first one builds and calibrates, and does not count
            for case in CASES:
                if time.monotonic() > deadline:
                    break
                for tree in trees if n % 2 else trees[::-1]:
                    found = tree.evaluate(args, case)
                    if found and n:
                        row = rows.setdefault(case, {"before": [], "after": []})
                        row[tree.name].append({**figures(found[0]), "wall": found[1]})
                        versions[tree.name] = found[0][0]["assay"]
                        device = found[0][0]["device_info"]["name"]
    table(rows)
    if args.json:
        with open(args.json, "w") as file:
            json.dump({"bench": "turns", "date": datetime.date.today().isoformat(), "device": device,
                       "assay": versions, "sizes": args.sizes, "rows": rows}, file, indent=1)


if __name__ == "__main__":
    main()
