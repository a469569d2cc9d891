#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How long a candidate in Python takes on the CPU: first of a command, which imports torch, and the next ones.

    bench/eval_python.py ASSAY [--candidates 21] [--json FILE]

One `assay eval` judges the same module again and again, at small sizes. "start" is the time until the three runners of
a candidate are sealed and have loaded it, "empty" an order without a call. Exits 77 where Python has no torch.
"""
import argparse
import datetime
import json
import os
import statistics
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CASES = ["level1_040", "level2_012", "level2_022", "level3_001"]


def parse():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("assay")
    parser.add_argument("--candidates", type=int, default=21)
    parser.add_argument("--json")
    return parser.parse_args()


def evaluate(args, case):
    """Records of all candidates, and seconds until the first one was there."""
    level, number = case.split("_")
    path = os.path.join(ROOT, "tests/python/modules", case + "_upstream.py")
    start, first = time.monotonic(), None
    child = subprocess.Popen([args.assay, "eval", "--json", "--no-store", "--device", "cpu", "--sizes", "small",
                              f"{level}/{int(number)}", *[path] * args.candidates], stdout=subprocess.PIPE, text=True)
    records = []
    for line in child.stdout:
        first = first or time.monotonic() - start
        records.append(json.loads(line))
    child.wait()
    return records, first


def row_of(records, first):
    ms = [r["phases_ms"] for r in records[1:]]
    whole = sorted(m["total"] - m["queue"] for m in ms)
    return {"first_s": first, "next_ms": statistics.median(whole), "next_p95_ms": whole[int(0.95 * (len(whole) - 1))],
            "import_ms": statistics.median(m["build"] for m in ms), "start_ms": statistics.median(m["start"] for m in ms),
            "candidate_ms": statistics.median(m["candidate"] for m in ms),
            "empty_us": statistics.median(r["audit"]["sizes"][0]["empty_us"] for r in records)}


def main():
    args = parse()
    rows, record = {}, None
    print(f"{'':<12}{'first, s':>10}{'next, ms':>10}{'p95':>8}{'import':>8}{'start':>8}{'calls':>8}{'empty, us':>11}")
    for case in CASES:
        records, first = evaluate(args, case)
        if not records or any("no torch" in r["detail"] for r in records):
            print("no torch")
            return 77
        bad = [(r["verdict"], r["detail"]) for r in records if r["verdict"] != "pass"]
        if bad:
            sys.exit(f"{case}: {bad[0]}")
        row, record = row_of(records, first), records[0]
        rows[case] = row
        print(f"{case:<12}{row['first_s']:>10.2f}{row['next_ms']:>10.0f}{row['next_p95_ms']:>8.0f}{row['import_ms']:>8.0f}"
              f"{row['start_ms']:>8.0f}{row['candidate_ms']:>8.0f}{row['empty_us']:>11.2f}", flush=True)
    if args.json:
        with open(args.json, "w") as file:
            json.dump({"bench": "eval_python", "date": datetime.date.today().isoformat(), "assay": record["assay"],
                       "device": record["device_info"]["name"], "python": record["build"]["toolchain"],
                       "cores": os.cpu_count(), "candidates": args.candidates, "rows": rows}, file, indent=1)
            file.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
