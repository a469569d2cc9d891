#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Do the gates of references let honest arithmetic through, and nothing less? On a CPU:

    bench/references.py ASSAY [--every N] [--json FILE]

References are the modules that `assay show --as torch` prints for levels 1 to 3, at small sizes: every Nth problem, two
unless N is given. Each is admitted first. Then three candidates are judged against it:

    itself      PyTorch's own float32
    one thread  the same on one thread and without oneDNN, so with other sums
    tf32        the same with inputs rounded to 10 bits of mantissa, as tensor cores do

Errors are in units of the reference's own: those above 16 (RMS) or 32 (largest) are wrong. Exits 1 if float32 is wrong,
77 where Python has no torch."""
import argparse
import collections
import datetime
import json
import os
import statistics
import subprocess
import sys
import tempfile

OTHER_SUMS = """


class ModelNew(Model):
    def forward(self, *inputs):
        torch.set_num_threads(1)
        with torch.backends.mkldnn.flags(enabled=False):
            return super().forward(*inputs)
"""
TF32 = """


def rounded(x):
    if not torch.is_tensor(x) or x.dtype != torch.float32:
        return x
    return ((x.contiguous().view(torch.int32) + 0x1000) & ~0x1FFF).view(torch.float32)


class ModelNew(Model):
    def forward(self, *inputs):
        return super().forward(*map(rounded, inputs))
"""
CANDIDATES = {"itself": "", "one_thread": OTHER_SUMS, "tf32": TF32}


def run(*words):
    return subprocess.run(words, capture_output=True, text=True)


def judge(assay, problem):
    """A row: what admission said, and each candidate's verdict and error."""
    text = run(assay, "show", problem, "--as", "torch", "--sizes", "small").stdout
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: os.path.join(folder, name + ".py") for name in CANDIDATES}
        for name, more in CANDIDATES.items():
            with open(paths[name], "w") as file:
                file.write(text + more)
        done = run(assay, "eval", "--ref", paths["itself"], *paths.values(), "--device", "cpu", "--check-only",
                   "--unadmitted", "--no-store", "--json")
    if "no torch" in done.stderr:
        print(done.stderr.strip())
        sys.exit(77)
    records = [json.loads(line) for line in done.stdout.splitlines()]
    row = {"problem": problem}
    if not records:
        return dict(row, unusable=done.stderr.strip().rpartition("cannot be used: ")[2])
    row.update(admitted=records[0]["reference"]["admitted"], refusal=records[0]["reference"]["refusal"],
               expected=records[0]["reference"]["expected"], toolchain=records[0]["build"]["toolchain"])
    for name, record in zip(CANDIDATES, records):
        error = record["sizes"][0]["error"] if record["sizes"] else None
        row[name] = {"verdict": record["verdict"], "reason": record["reason"],
                     "rms": error and error["honest_rms"] and error["rms"] / error["honest_rms"]}
    return row


def print_summary(rows):
    usable = [row for row in rows if "unusable" not in row]
    admitted = [row for row in usable if row["admitted"]]
    print(f"{len(rows)} modules, {len(usable)} can be references, {len(admitted)} are admitted, "
          f"{sum(row['expected'] == 'double' for row in usable)} in double")
    for row in rows:
        if "unusable" in row or not row["admitted"]:
            print(f"  {row['problem']}: {row.get('unusable') or row['refusal']}")
    print(f"{'of the admitted':<16}{'pass':>6}{'wrong':>7}{'other':>7}{'median rms':>12}{'largest':>9}")
    for name in CANDIDATES:
        counts = collections.Counter(row[name]["verdict"] for row in admitted)
        errors = [row[name]["rms"] for row in admitted if row[name]["rms"]] or [0]
        print(f"{name:<16}{counts['pass']:>6}{counts['wrong']:>7}{len(admitted) - counts['pass'] - counts['wrong']:>7}"
              f"{statistics.median(errors):>12.3g}{max(errors):>9.3g}")
    return [row for row in admitted if any(row[name]["verdict"] != "pass" for name in ("itself", "one_thread"))]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("assay")
    parser.add_argument("--every", type=int, default=2)
    parser.add_argument("--json")
    args = parser.parse_args()
    names = run(args.assay, "list", "level1", "level2", "level3", "--names").stdout.split()
    rows = [judge(args.assay, name) for name in names[:: args.every]]
    bad = print_summary(rows)
    for row in bad:
        print(f"float32 does not pass: {row}")
    if args.json:
        version = json.loads(run(args.assay, "version", "--json").stdout)
        with open(args.json, "w") as file:
            json.dump({"bench": "references", "date": datetime.date.today().isoformat(), "device": "cpu",
                       "cores": os.cpu_count(), "assay": version["version"], "compiler": version["compiler"], "rows": rows}, file, indent=1)
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
