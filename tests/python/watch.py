# SPDX-License-Identifier: MIT
"""Looks at the processes of a command that judges candidates in Python.

usage: watch.py kill WHO PID        kills one of the command's: judge, zygote, between or runner; prints its pid
       watch.py count PID RECORDS   until it ends, a row every tenth of a second; RECORDS is the file it prints to

PID is that of `assay`. A process between zygote and runner lives for some ms, so it is looked for without a pause.
"""
import glob
import os
import random
import signal
import sys
import time


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read().decode(errors="replace")
    except OSError:
        return ""


def parents():
    """{pid: (parent, pid in its own namespace)}"""
    found = {}
    for path in glob.glob("/proc/[0-9]*/status"):
        fields = dict(line.split(":", 1) for line in read(path).splitlines() if ":" in line)
        if "PPid" in fields:
            found[int(path.split("/")[2])] = int(fields["PPid"]), int(fields["NSpid"].split()[-1])
    return found


def find(judge):
    """{"judge": pids, "zygote": ..., "between": ..., "runner": ...}"""
    tree = parents()
    kinds = {"judge": [judge] if judge in tree else [], "zygote": [], "between": [], "runner": []}
    python = [pid for pid in tree if "zygote.py" in read(f"/proc/{pid}/cmdline")]
    for pid in python:
        parent, inside = tree[pid]
        kinds["runner" if inside != pid else "zygote" if parent == judge else "between"].append(pid)
    children = {judge, *kinds["zygote"]}
    kinds["runner"] = [pid for pid in kinds["runner"] if tree[pid][0] in children]
    kinds["between"] = [pid for pid in kinds["between"] if tree[pid][0] in kinds["zygote"]]
    return kinds


def find_one(who, judge, known):
    """Pids. The zygote is looked for once if its children are wanted: the search takes longer than they live."""
    if who != "between":
        return find(judge)[who]
    known["zygote"] = known.get("zygote") or (find(judge)["zygote"] or [0])[0]
    return [int(pid) for pid in read("/proc/{0}/task/{0}/children".format(known["zygote"])).split()]


def kill(who, judge):
    """Waits for such a process, and for a moment of its life."""
    known = {}
    time.sleep(random.random())
    while "State:\tZ" not in (status := read(f"/proc/{judge}/status")) and status:
        victims = find_one(who, judge, known)
        if victims:
            time.sleep(0 if who == "between" else 0.3 * random.random())
            try:
                os.kill(victims[0], signal.SIGKILL)
            except ProcessLookupError:
                continue
            print(victims[0])
            return 0
    return 1


def descriptors(pid):
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))
    except OSError:
        return 0


def resident_mib(pid):
    line = next((line for line in read(f"/proc/{pid}/status").splitlines() if line.startswith("VmRSS")), "x 0")
    return int(line.split()[1]) / 1024


def count(judge, records):
    """A row every tenth of a second: records, descriptors of judge and zygote, their MiB, runners."""
    while "State:\tZ" not in (status := read(f"/proc/{judge}/status")) and status:
        kinds = find(judge)
        zygote = (kinds["zygote"] or [0])[0]
        print(read(records).count("\n"), descriptors(judge), descriptors(zygote), f"{resident_mib(judge):.1f}",
              f"{resident_mib(zygote):.1f}", len(kinds["runner"]), flush=True)
        time.sleep(0.1)
    return 0


if __name__ == "__main__":
    what, *rest = sys.argv[1:]
    sys.exit(kill(rest[0], int(rest[1])) if what == "kill" else count(int(rest[0]), rest[1]))
