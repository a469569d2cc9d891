# SPDX-License-Identifier: MIT
"""Judges a part of the attack corpus: nothing is missed, nobody honest is punished. Every device is asked that is here and
has a folder in attacks/, except those that tests/gpu/run judges. Candidates in Python have a folder of their own.

usage: attacks.py timed|others: attacks whose verdict depends on the time, or all others"""
import collections, json, os, re, subprocess, sys

import devices_here

root, assay = os.environ["ROOT"], os.environ["ASSAY"]
# Under a sanitizer, whose shadow is 16 TiB, a runner's addresses are not limited, and what it holds itself is more than
# the scratch memory of these.
instrumented = b"__asan_init" in open(assay, "rb").read()
excused = {"122_allocates_all", "049_shared_scratch", "049_scratch_without_main_thread"} if instrumented else set()
# On one core judge and candidate take turns: when the judge comes to look, the work that went on is done, and a signal to
# stop has been acted upon. Neither gains anything there, and there is nothing to be seen.
take_turns = {"203_forged_done", "203_late_by_pthread", "207_wakes_itself", "231_result_hidden"}
if len(os.sched_getaffinity(0)) == 1:
    excused |= take_turns


# Beside other tests an attack may have one core.
def is_timed(path):
    stem = os.path.splitext(os.path.basename(path))[0]
    return "at least" in open(path).read() or stem in take_turns


def is_for(path, device):
    """Whether the file names no other device in the line that says what is expected."""
    named = re.search(r"\bdevice: (\w+)(?= expected: )", open(path).read())
    return not named or named[1] == device


def names_of(device, timed):
    """Python takes a library with a sanitizer only behind one of its own: e2e/python_sanitized judges there."""
    suffixes = devices_here.suffixes(device)
    python = ["python"] * (".py" in suffixes and not instrumented)
    folders = [os.path.join(root, "attacks", name) for name in [device] + python]
    paths = [os.path.join(folder, name) for folder in folders for name in os.listdir(folder)]
    return sorted(os.path.basename(path) for path in paths
                  if os.path.splitext(path)[1] in suffixes and is_for(path, device) and is_timed(path) == timed)


def judge(device, names):
    done = subprocess.run([assay, "attack", "--device", device, "--json", *names], stdout=subprocess.PIPE)
    return done.returncode, json.loads(done.stdout)


def bad_of(attacks):
    return [a for a in attacks if a["outcome"] not in ("caught", "passed") and os.path.splitext(a["name"])[0] not in excused]


# A machine that is disturbed can make an attack look fast, or catch it in another moment: where the time is part of what
# it must get, it has two more goes. Under a sanitizer no time means anything.
def still_bad(device, a):
    if "at least" not in a["expected"]:
        return True
    if instrumented and a["verdict"] == "pass":
        return False
    return all(bad_of(judge(device, [a["name"]])[1]["attacks"]) for _ in range(2))


def judge_device(device, names):
    """Judges these attacks of one device, and returns {outcome: how many} and the classes that were seen."""
    status, result = judge(device, names)
    first = bad_of(result["attacks"])
    bad = [a for a in first if still_bad(device, a)]
    for a in first:
        print("once only: " if a not in bad else "", end="")
        print(a["name"], a["outcome"], a["verdict"], a["reason"], a["cold_us"], "expected", a["expected"], a["detail"])
    t = result["totals"]
    assert not bad and (status == 0 or excused or first), (device, t)
    if t["skipped"]:
        names = [n for n in names if not n.endswith(".py")]
        print("no torch:", t["skipped"], "candidates in Python were skipped")
    assert sorted(a["name"] for a in result["attacks"]) == names, "not all were judged on " + device
    return collections.Counter(t), {a["class"] for a in result["attacks"]}


def main():
    totals, classes = collections.Counter(), set()
    for device in devices_here.judged("attacks"):
        names = names_of(device, sys.argv[1] == "timed")
        if names:
            its_totals, its_classes = judge_device(device, names)
            totals, classes = totals + its_totals, classes | its_classes
    if sys.argv[1] == "others":
        assert totals["caught"] > 90 and totals["passed"] >= 6, totals
        assert classes >= set("ABCDEFIJK"), "a class has no candidate"


main()
