#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`assay run` with many candidates: how many a second, memory over time, and whether the verdicts are the expected ones.

On the CPU: with cold and with cached builds, then kills at random moments. On a GPU: exemplars at full sizes with the
GPU's utilization, then small candidates with cached builds; reports of both. After every phase the JSON file holds the
results so far. Started again with the same --work it goes on where it was (`assay run` resumes), and rates are over all
starts.
"""
import argparse
import datetime
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FULL = ["level1/001", "level1/019", "level1/023", "level1/040", "level1/063", "level2/011", "level2/022", "level3/044"]
# utilization.gpu: NVML's word for it is the share of the last sample period (1/6 s to 1 s) in which a kernel ran,
# ours or a candidate's; the kernel that holds a stream back counts as well.
SMI = ["nvidia-smi", "--query-gpu=utilization.gpu,memory.used,clocks.sm,power.draw", "--format=csv,noheader,nounits"]
STEPS = ("load", "open", "queue", "inputs", "expected", "honest", "spares", "start", "checks", "timing", "end",
         "candidate", "total")


# --- what is looked at while a run goes on ---

class Memory(threading.Thread):
    """The resident set of one process, in MiB, every half second."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.samples, self.start_s = pid, [], time.monotonic()
        self.start()

    def run(self):
        while True:
            try:
                with open(f"/proc/{self.pid}/status", encoding="ascii") as f:
                    kib = re.search(r"VmRSS:\s*(\d+)", f.read())
            except OSError:
                return
            if not kib:
                return
            self.samples.append((time.monotonic() - self.start_s, int(kib[1]) / 1024))
            time.sleep(0.5)


class Gpu:
    """nvidia-smi beside a run; nothing where there is none."""

    def __init__(self, wanted):
        self.process = None
        if wanted and shutil.which("nvidia-smi"):
            self.process = subprocess.Popen(SMI + ["-lms", "200"], stdout=subprocess.PIPE, text=True)

    def end(self):
        """Rows of numbers: utilization in percent, memory in MiB, MHz, W."""
        if not self.process:
            return []
        self.process.terminate()
        text = self.process.communicate()[0]
        rows = []
        for line in text.splitlines():
            try:
                rows.append([float(x) for x in line.split(",")])
            except ValueError:
                pass
        return [r for r in rows if len(r) == 4]


def median(values):
    values = sorted(values)
    return values[len(values) // 2] if values else None


def windows(samples):
    """Medians early, in the middle and late, and what a line through all gains: flat or not."""
    if len(samples) < 10:
        return {"samples": len(samples), "most": max((m for _, m in samples), default=None)}
    n = len(samples)
    part = {name: median([m for _, m in samples[int(n * a):max(int(n * b), int(n * a) + 1)]])
            for name, a, b in (("early", 0.05, 0.15), ("middle", 0.45, 0.55), ("late", 0.85, 0.95))}
    mean_t, mean_m = sum(t for t, _ in samples) / n, sum(m for _, m in samples) / n
    slope = sum((t - mean_t) * (m - mean_m) for t, m in samples) / max(sum((t - mean_t) ** 2 for t, _ in samples), 1e-9)
    return {"samples": n, **part, "most": max(m for _, m in samples), "growth_mib": slope * (samples[-1][0] - samples[0][0])}


# --- one run ---

class Bench:
    def __init__(self, options, work):
        self.o, self.work = options, work
        self.assay = os.path.abspath(options.assay)
        self.env = {**os.environ, "ASSAY_HOME": work + "/home", "ASSAY_CACHE": work + "/cache",
                    "TMPDIR": work + "/tmp", "ASSAY_SHARE": ROOT}
        self.deadline = time.monotonic() + options.deadline
        self.result = self.load()
        os.makedirs(work + "/tmp", exist_ok=True)

    def load(self):
        try:
            with open(self.work + "/result.json", encoding="utf-8") as f:
                return json.load(f)
        except OSError:
            return {"bench": "run_many", "runs": {}}

    def save(self):
        version = subprocess.run([self.assay, "--version"], capture_output=True, text=True, check=False)
        with open("/proc/loadavg", encoding="ascii") as f:
            load = [float(x) for x in f.read().split()[:3]]
        self.result.update(date=datetime.datetime.now(datetime.timezone.utc).strftime("%FT%TZ"),
                           device=self.o.device, machine=self.machine(), cores=os.cpu_count(),
                           assay=version.stdout.strip(), load_average=load)
        for path in filter(None, (self.work + "/result.json", self.o.json)):
            with open(path + ".new", "w", encoding="utf-8") as f:
                json.dump(self.result, f, indent=1)
                f.write("\n")
            os.replace(path + ".new", path)

    def machine(self):
        if self.o.device == "cuda":
            found = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"],
                                   capture_output=True, text=True, check=False) if shutil.which("nvidia-smi") else None
            return found.stdout.strip() if found else "no nvidia-smi"
        with open("/proc/cpuinfo", encoding="utf-8") as f:
            return re.search(r"model name.*: (.*)", f.read())[1]

    def left(self):
        return self.deadline - time.monotonic()

    def query(self, text, *args):
        try:
            db = sqlite3.connect(f"file:{self.work}/home/store.db?mode=ro", uri=True)
            return db.execute(text, args).fetchall()
        except sqlite3.OperationalError:
            return []  # nothing was stored yet

    def cells(self, name):
        found = self.query("select count(*) from cells where run = ? and record is not null", name)
        return found[0][0] if found else 0

    def command(self, *args, **options):
        return subprocess.run([self.assay, *args], cwd=self.work, env=self.env, check=False, capture_output=True,
                              text=True, timeout=max(self.left(), 1), **options)

    def wait(self, process, limit_s):
        """True: it ended by itself."""
        try:
            process.wait(max(limit_s, 0.1))
            return True
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        return False

    def run(self, name, folder, *args, limit_s=None, watch_gpu=False):
        """Starts the run, or goes on with it; keeps the figures of this start."""
        before, start = self.cells(name), time.monotonic()
        with open(f"{self.work}/{name}.err", "a", encoding="utf-8") as err:
            process = subprocess.Popen([self.assay, "run", folder, "--name", name, "--json", *args], cwd=self.work,
                                       env=self.env, stdout=subprocess.PIPE, stderr=err, text=True)
            memory, gpu = Memory(process.pid), Gpu(watch_gpu)
            ended = self.wait(process, min(self.left(), limit_s or self.left()))
            out = process.stdout.read()
        seconds = time.monotonic() - start
        start_result = {"judged": self.cells(name) - before, "seconds": round(seconds, 2), "ended": ended,
                        "exit": process.returncode, "rss_mib": windows(memory.samples)}
        rows = gpu.end()
        if rows:
            start_result["gpu"] = summary_of_gpu(rows)
        if ended and out.strip():
            start_result["run_seconds"] = json.loads(out)["seconds"]
        run = self.result["runs"].setdefault(name, {"starts": []})
        run["starts"].append(start_result)
        self.sum_up(name, run, folder)
        self.save()
        self.tell(name, run)
        return ended

    def sum_up(self, name, run, folder):
        starts = [s for s in run["starts"] if s["judged"]]
        judged, seconds = sum(s["judged"] for s in starts), sum(s["seconds"] for s in starts)
        run.update(cells=self.cells(name), judged=judged, seconds=round(seconds, 2),
                   per_second=round(judged / seconds, 2) if seconds else None)
        run["verdicts"] = dict(self.query("select r.verdict, count(*) from cells c join records r on r.id = c.record "
                                          "where c.run = ? group by 1", name))
        run["unexpected"] = self.unexpected(name, folder)
        run["phases_ms"] = self.phases(name)

    def unexpected(self, name, folder):
        with open(f"{self.work}/{folder}.expected.json", encoding="ascii") as f:
            expected = json.load(f)
        rows = self.query("select c.file, r.verdict, r.reason, json_extract(r.json, '$.detail') from cells c "
                          "join records r on r.id = c.record where c.run = ?", name)
        wrong = [r for r in rows if r[1] not in expected.get(r[0], [])]
        return {"count": len(wrong), "first": [list(r) for r in wrong[:10]]}

    def phases(self, name):
        """Means over the run's records: where the time of a candidate goes."""
        rows = self.query("select json_extract(r.json, '$.phases_ms') from cells c join records r on r.id = c.record "
                          "where c.run = ? and r.verdict != 'build_error'", name)
        found = [json.loads(r[0]) for r in rows]
        return {k: round(sum(f.get(k) or 0 for f in found) / len(found), 2) for k in STEPS
                if found and any(f.get(k) for f in found)}

    def tell(self, name, run):
        last = run["starts"][-1]
        print(f"{name}: {run['judged']} judged in {run['seconds']} s, {run['per_second']} a second, "
              f"{run['unexpected']['count']} unexpected{'' if last['ended'] else ', stopped at the limit'}")
        rss = last["rss_mib"]
        if "early" in rss:
            print(f"  resident: {rss['early']:.0f} MiB early, {rss['middle']:.0f} in the middle, {rss['late']:.0f} late, "
                  f"{rss['most']:.0f} at most; a line through all gains {rss['growth_mib']:+.1f}")
        if "gpu" in last:
            print(f"  GPU busy {last['gpu']['busy_percent']:.0f} % of {last['gpu']['samples']} samples' time")
        print("  ms per candidate: " + ", ".join(f"{k} {v:g}" for k, v in run["phases_ms"].items()))
        sys.stdout.flush()

    def report(self, name, path):
        done = self.command("report", name, "-o", path)
        size = os.path.getsize(path) if os.path.exists(path) else None
        self.result["runs"][name]["report_bytes"] = size
        print(f"  report: {size} bytes" if size else f"  no report: {done.stderr.strip()[-300:]}")


def summary_of_gpu(rows):
    busy = [r[0] for r in rows]
    return {"samples": len(rows), "period_ms": 200, "busy_percent": sum(busy) / len(busy),
            "idle_samples": sum(b == 0 for b in busy), "memory_mib_most": max(r[1] for r in rows),
            "sm_mhz_median": median([r[2] for r in rows]), "watts_mean": sum(r[3] for r in rows) / len(rows)}


# --- candidates ---

def make_small(bench, folder, count):
    subprocess.run([sys.executable, ROOT + "/bench/make_candidates.py", folder, str(count), "--device",
                    bench.o.device], cwd=bench.work, check=True)


def make_full(bench, folder, count):
    """Exemplars, each a little different from the last; some write half of the output, some are broken."""
    base, expected, per = f"{ROOT}/exemplars/{bench.o.device}", {}, {}
    files = []
    for problem in FULL:
        level, number = problem.split("/")
        for d in sorted(os.listdir(f"{base}/{level}")):
            if d.startswith(number + "_"):
                files += [(problem, f"{base}/{level}/{d}/{f}") for f in sorted(os.listdir(f"{base}/{level}/{d}"))]
    # What takes seconds a call is left to its better version.
    files = [(p, f) for p, f in files if not (p in ("level3/044", "level2/011") and f.endswith("naive.cu"))]
    for i in range(count if files else 0):
        problem, path = files[i % len(files)]
        with open(path, encoding="utf-8") as f:
            text = f.read()
        want = ["pass"]
        if i // len(files) % 5 == 1 and re.search(r"grid=in0\.shape\[0\]|grid=ceil_div\(in0\.numel,", text):
            text = text.replace("grid=in0.shape[0]", "grid=ceil_div(in0.shape[0],2)")
            text = re.sub(r"grid=ceil_div\(in0\.numel,(\d+)", lambda m: f"grid=ceil_div(in0.numel,{2 * int(m[1])}", text)
            want = ["wrong"]
        elif i // len(files) % 5 == 3:
            text, want = "#error broken\n" + text, ["build_error"]
        stem, suffix = os.path.splitext(os.path.basename(path))
        sample = per[problem, stem] = per.get((problem, stem), -1) + 1
        level, number = problem.split("/")
        target = f"{folder}/{stem}/{level}_{int(number)}/sample{sample}{suffix}"
        os.makedirs(os.path.dirname(f"{bench.work}/{target}"), exist_ok=True)
        with open(f"{bench.work}/{target}", "w", encoding="utf-8") as f:
            f.write(f"{text}\n/* variant {i} */\n")
        expected[target] = want
    with open(f"{bench.work}/{folder}.expected.json", "w", encoding="ascii") as f:
        json.dump(expected, f)
    return len(expected)


# --- phases ---

def cold(b):
    b.run("cold", "gen", "--device", b.o.device, "--sizes", "small")


def cached(b):
    b.run("cached", "gen", "--device", b.o.device, "--sizes", "small")


def kills(b):
    where = b.work + "/killed"
    shutil.rmtree(where, ignore_errors=True)
    os.mkdir(where)
    env = {**b.env, "ASSAY": b.assay, "ROOT": ROOT, "ASSAY_HOME": where + "/home", "KILLS": str(b.o.kills),
           "CANDIDATES": str(b.o.kill_candidates)}
    try:
        done = subprocess.run(["bash", ROOT + "/tests/e2e/run_resume.sh"], cwd=where, capture_output=True, text=True,
                              check=False, env=env, timeout=max(b.left(), 1))
    except subprocess.TimeoutExpired:
        print("kills: not done at the deadline")
        return
    b.result["kills"] = {"kills": b.o.kills, "candidates": b.o.kill_candidates, "ok": done.returncode == 0,
                         "said": done.stdout.strip()[-500:]}
    print("kills: " + done.stdout.strip()[-500:])


def built(b, name, folder, sizes):
    """So that no compiler is waited for afterwards."""
    if b.left() < 5 or b.result.get("built", {}).get(name):
        return
    try:
        done = b.command("run", folder, "--name", name, "--build-only", "--json", "--device", b.o.device, "--sizes", sizes)
        b.result.setdefault("built", {})[name] = json.loads(done.stdout)
        print(f"built {name}: {done.stdout.strip()}")
    except (subprocess.TimeoutExpired, ValueError) as e:
        print(f"built {name}: {e}")
    sys.stdout.flush()


def full(b):
    make_full(b, "full", b.o.full)
    built(b, "full", "full", "full")
    # Half of the time is the small ones'.
    b.run("full", "full", "--device", b.o.device, "--sizes", "full", "--timing-timeout", "20000",
          limit_s=b.left() * 0.55, watch_gpu=True)
    b.report("full", b.o.reports + "/report-full.html")


def small(b):
    built(b, "small", "gen", "small")
    b.run("small", "gen", "--device", b.o.device, "--sizes", "small")
    b.report("small", b.o.reports + "/report-small.html")


PHASES = {"cold": cold, "cached": cached, "kills": kills, "full": full, "small": small}
USUAL = {"cpu": "cold,cached,kills", "cuda": "full,small"}


def verdict(b):
    """What the figures are held against."""
    runs, bars = b.result["runs"], {"cold": 4, "cached": 8, "small": 5}
    checks = {f"{n}: at least {bar} a second": runs[n]["per_second"] >= bar for n, bar in bars.items()
              if n in runs and runs[n]["per_second"]}
    for name, run in runs.items():
        checks[f"{name}: every verdict as expected"] = run["unexpected"]["count"] == 0
        gpu = [s["gpu"] for s in run["starts"] if s.get("gpu") and s["judged"]]
        if name == "full" and gpu:
            checks["full: GPU busy at least 60 %"] = (sum(g["busy_percent"] * g["samples"] for g in gpu) /
                                                     sum(g["samples"] for g in gpu)) >= 60
        if run.get("report_bytes"):
            checks[f"{name}: report below 5 MB"] = run["report_bytes"] < 5e6
        rss = [s["rss_mib"] for s in run["starts"] if "early" in s["rss_mib"]]
        if rss and run["judged"] >= 500:
            checks[f"{name}: memory flat"] = all(r["late"] <= 1.1 * r["middle"] + 8 for r in rss)
    if "kills" in b.result:
        checks["kills: nothing lost, nothing twice"] = b.result["kills"]["ok"]
    return checks


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("assay", help="the program")
    p.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    p.add_argument("--phases", help="of cold, cached, kills, full, small (default: the first three, on a GPU the others)")
    p.add_argument("--candidates", type=int, help="small ones (default: 2000 on the CPU, 1000 on a GPU)")
    p.add_argument("--full", type=int, default=40, help="at full sizes, on a GPU (default 40)")
    p.add_argument("--kills", type=int, default=50, help="on the CPU (default 50)")
    p.add_argument("--kill-candidates", type=int, default=500)
    p.add_argument("--deadline", type=float, default=3600, metavar="S", help="stop after so many seconds; default 3600")
    p.add_argument("--work", help="a folder to work in and to go on in; default: a new one that is removed")
    p.add_argument("--reports", default=None, help="folder for the reports of GPU runs (default: the work folder)")
    p.add_argument("--json", help="where the figures go")
    o = p.parse_args()
    o.candidates = o.candidates if o.candidates is not None else 2000 if o.device == "cpu" else 1000
    o.json = os.path.abspath(o.json) if o.json else None
    work = os.path.abspath(o.work) if o.work else tempfile.mkdtemp()
    os.makedirs(work, exist_ok=True)
    os.chmod(work, 0o755)  # unprivileged runners and builders pass through here
    o.reports = os.path.abspath(o.reports) if o.reports else work
    os.makedirs(o.reports, exist_ok=True)
    b = Bench(o, work)
    try:
        b.command("calibrate", "--device", o.device)
        make_small(b, "gen", o.candidates)
        for phase in (o.phases or USUAL[o.device]).split(","):
            if b.left() > 5:
                PHASES[phase](b)
        b.result["checks"] = verdict(b)
        b.save()
    finally:
        if not o.work:
            shutil.rmtree(work, ignore_errors=True)
    for what, ok in b.result["checks"].items():
        print(f"{'ok  ' if ok else 'FAIL'} {what}")
    return 0 if all(b.result["checks"].values()) else 1


if __name__ == "__main__":
    sys.exit(main())
