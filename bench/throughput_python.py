#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How many small candidates in Triton one command judges in a second, and what they leave behind on the GPU.

    bench/throughput_python.py ASSAY [--candidates 200] [--jobs 4] [--work DIR] [--limit S] [--device D] [--json FILE]

The candidates are ReLUs that differ in one number inside of the kernel, so that each is compiled. That number changes
no result. First they are compiled into a cache, by several commands side by side that check and do not time. Then one
command judges them all, each in a fresh process. The rate is over the verdicts behind the first one, which waits for
the import of torch. GPU memory is what nvidia-smi shows before and after.

--work keeps the cache for the next start, which compiles only what is missing. After --limit seconds nothing goes on,
and the figures are over what was judged. --device cpu tries the script with plain torch in place of Triton. Exits 1
when a candidate did not pass, 77 without a GPU or without torch.
"""
import argparse
import collections
import concurrent.futures
import datetime
import glob
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROBLEM = "level1/19"
SOURCES = {
    "cuda": '''import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    x = tl.load(x_ptr + at, mask=inside, other=NUMBER)  # elements outside are never stored
    tl.store(y_ptr + at, tl.maximum(x, 0.0), mask=inside)


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        n = x.numel()
        relu_kernel[(triton.cdiv(n, 1024),)](x, y, n, BLOCK=1024)
        return y
''',
    "cpu": '''import torch
from torch import nn


class ModelNew(nn.Module):
    number = NUMBER

    def forward(self, x):
        return torch.relu(x)
''',
}


def parse():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("assay")
    parser.add_argument("--candidates", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=min(4, os.cpu_count()))
    parser.add_argument("--work")
    parser.add_argument("--limit", type=float, default=float("inf"))
    parser.add_argument("--device", choices=SOURCES, default="cuda")
    parser.add_argument("--json")
    args = parser.parse_args()
    args.deadline = time.monotonic() + args.limit
    return args


def make_candidates(args, folder):
    os.makedirs(folder, exist_ok=True)
    paths = []
    for i in range(args.candidates):
        paths.append(os.path.join(folder, f"relu_{i:04}.py"))
        with open(paths[-1], "w", encoding="ascii") as file:
            file.write(SOURCES[args.device].replace("NUMBER", f"{i}.5"))
    return paths


def judge(args, env, files, *more):
    """(record, seconds since the start) one after the other; ends early when the time is over."""
    left, start = args.deadline - time.monotonic(), time.monotonic()
    if left <= 0:
        return
    child = subprocess.Popen([args.assay, "eval", "--json", "--no-store", "--device", args.device, "--sizes", "small",
                              *more, PROBLEM, *files], env=env, stdout=subprocess.PIPE, text=True)
    ends = threading.Timer(min(left, threading.TIMEOUT_MAX), child.terminate)
    ends.start()
    try:
        for line in child.stdout:
            if line.startswith("{"):
                yield json.loads(line), time.monotonic() - start
    finally:
        ends.cancel()
        child.stdout.close()
        child.wait()


def fill(args, env, files):
    """Compiles all: the first one alone, because its command calibrates the device, the others side by side. Returns
    the records."""
    def some(group):
        return [record for record, _ in judge(args, env, group, "--check-only", "--no-spares")]

    groups = [group for group in (files[1 + i::args.jobs] for i in range(args.jobs)) if group]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        return some(files[:1]) + [record for part in pool.map(some, groups) for record in part]


def gpu_mib():
    """Memory in use on the first GPU, in MiB; None without nvidia-smi."""
    if not shutil.which("nvidia-smi"):
        return None
    out = subprocess.run(["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits"],
                         capture_output=True, text=True, check=False).stdout.split()
    return float(out[0]) if out and out[0].isdigit() else None


def settled_mib(before):
    """GPU memory after the last process is gone, which a driver may take a moment for."""
    for _ in range(20):
        now = gpu_mib()
        if now is None or before is None or now <= before:
            break
        time.sleep(0.25)
    return now


def percentile(values, share):
    return sorted(values)[round(share * (len(values) - 1))]


def figures(args, judged):
    """judged: (record, seconds since the start of the command) of each."""
    whole = [r["phases_ms"]["total"] - r["phases_ms"]["queue"] for r, _ in judged[1:]]
    between = [1000 * (b - a) for (_, a), (_, b) in zip(judged, judged[1:])]
    phases = {name: statistics.fmean(r["phases_ms"][name] for r, _ in judged[1:]) for name in judged[0][0]["phases_ms"]}
    return {"candidates": args.candidates, "judged": len(judged), "first_s": judged[0][1], "seconds": judged[-1][1],
            "per_second": 1000 * len(between) / sum(between), "next_ms": statistics.median(whole),
            "next_p95_ms": percentile(whole, 0.95), "between_p95_ms": percentile(between, 0.95),
            "cached_builds": sum(bool(r["build"]["cached"]) for r, _ in judged), "phases_mean_ms": phases,
            "verdicts": dict(collections.Counter(r["verdict"] for r, _ in judged))}


def measure(args, work):
    """A dictionary of figures, or a line that says why there is none."""
    env = {**os.environ, "ASSAY_SHARE": ROOT, "ASSAY_HOME": work + "/home", "ASSAY_CACHE": work + "/cache"}
    files, start = make_candidates(args, work + "/candidates"), time.monotonic()
    filled = fill(args, env, files)
    print(f"filled the cache with {len(filled)} of {len(files)} candidates in {time.monotonic() - start:.0f} s, "
          f"{args.jobs} commands side by side", flush=True)
    if any("no torch" in r["detail"] for r in filled):
        return "no torch"
    fill_s, before = time.monotonic() - start, gpu_mib()
    judged = list(judge(args, env, files))
    if len(judged) < 3:
        return "nothing was judged"
    last = judged[-1][0]
    return {"bench": "throughput_python", "date": datetime.date.today().isoformat(), "assay": last["assay"],
            "device": last["device_info"]["name"], "python": last["build"]["toolchain"], "cores": os.cpu_count(),
            "fill_s": fill_s, **figures(args, judged), "gpu_mib_before": before, "gpu_mib_after": settled_mib(before),
            "failed": [f"{r['candidate']['file']}: {r['verdict']}: {r['reason']}: {r['detail']}" for r, _ in judged
                       if r["verdict"] != "pass"]}


def report(found):
    print(f"{found['judged']} of {found['candidates']} candidates in {found['seconds']:.1f} s, the first after "
          f"{found['first_s']:.1f} s; then {found['per_second']:.2f} a second")
    print(f"each: {found['next_ms']:.0f} ms (median), {found['next_p95_ms']:.0f} ms (p95); from one verdict to the "
          f"next {found['between_p95_ms']:.0f} ms (p95); {found['cached_builds']} builds were cached")
    print("mean ms: " + ", ".join(f"{k} {v:.0f}" for k, v in found["phases_mean_ms"].items() if v >= 0.5))
    if found["gpu_mib_before"] is not None:
        print(f"GPU memory: {found['gpu_mib_before']:.0f} MiB before, {found['gpu_mib_after']:.0f} MiB after")
    for text in found["failed"][:5]:
        print(f"FAILED: {text}")


def main():
    args = parse()
    if args.device == "cuda" and not glob.glob("/dev/nvidia[0-9]*"):
        print("no NVIDIA GPU here")
        return 77
    with tempfile.TemporaryDirectory() as temporary:
        os.chmod(temporary, 0o755)
        found = measure(args, os.path.abspath(args.work or temporary))
    if isinstance(found, str):
        print(found)
        return 77 if found == "no torch" else 1
    report(found)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(found, file, indent=1)
            file.write("\n")
    return 1 if found["failed"] or found["judged"] < found["candidates"] else 0


if __name__ == "__main__":
    sys.exit(main())
