# SPDX-License-Identifier: MIT
"""Judges a part of the attack corpus for CPU and Python: nothing is missed, nobody honest is punished.

usage: attacks.py timed|others: attacks whose verdict depends on the time, or all others"""
import json, os, subprocess, sys

root, assay = os.environ["ROOT"], os.environ["ASSAY"]
folders = {".c": os.path.join(root, "attacks/cpu"), ".py": os.path.join(root, "attacks/python")}
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
def is_timed(name):
    stem, suffix = os.path.splitext(name)
    return "at least" in open(os.path.join(folders[suffix], name)).read() or stem in take_turns


def all_names():
    return [name for suffix, folder in folders.items() for name in os.listdir(folder) if name.endswith(suffix)]


def judge(names):
    done = subprocess.run([assay, "attack", "--device", "cpu", "--json", *names], stdout=subprocess.PIPE)
    return done.returncode, json.loads(done.stdout)


def bad_of(attacks):
    return [a for a in attacks if a["outcome"] not in ("caught", "passed") and os.path.splitext(a["name"])[0] not in excused]


# A machine that is disturbed can make an attack look fast, or catch it in another moment: where the time is part of what
# it must get, it has two more goes. Under a sanitizer no time means anything.
def still_bad(a):
    if "at least" not in a["expected"]:
        return True
    if instrumented and a["verdict"] == "pass":
        return False
    return all(bad_of(judge([a["name"]])[1]["attacks"]) for _ in range(2))


def main():
    names = sorted(n for n in all_names() if is_timed(n) == (sys.argv[1] == "timed"))
    status, result = judge(names)
    first = bad_of(result["attacks"])
    bad = [a for a in first if still_bad(a)]
    for a in first:
        print("once only: " if a not in bad else "", end="")
        print(a["name"], a["outcome"], a["verdict"], a["reason"], a["cold_us"], "expected", a["expected"], a["detail"])
    t = result["totals"]
    assert not bad and (status == 0 or excused or first), t
    if t["skipped"]:
        names = [n for n in names if not n.endswith(".py")]
        print("no torch:", t["skipped"], "candidates in Python were skipped")
    assert sorted(a["name"] for a in result["attacks"]) == names, "not all were judged"
    if sys.argv[1] == "others":
        assert t["caught"] > 90 and t["passed"] >= 6, t
        assert {a["class"] for a in result["attacks"]} >= set("ABCDEFIJK"), "a class has no candidate"


main()
