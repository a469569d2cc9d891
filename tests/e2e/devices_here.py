# SPDX-License-Identifier: MIT
"""Asks the program about devices, so that no test needs to know their names.

usage: devices_here.py judged FOLDER     devices with a folder in FOLDER (attacks, exemplars) whose candidates are judged
                                         by the tests on this machine: they are here, and tests/gpu/run does not judge them
       devices_here.py here              what `assay doctor` finds on this machine, devices and tools
       devices_here.py suffixes DEVICE   suffixes of the files that it takes, also if it is not here
"""
import json
import os
import re
import subprocess
import sys

root, assay = os.environ["ROOT"], os.environ["ASSAY"]


def here():
    # Importing PyTorch would take seconds.
    out = subprocess.run([assay, "doctor", "--json"], stdout=subprocess.PIPE, env=os.environ | {"ASSAY_PYTHON": "/none"})
    return {row["what"] for row in json.loads(out.stdout) if row["found"]}


def judged(folder):
    with open(os.path.join(root, "tests/gpu/run")) as script:
        judged_there = set(re.findall(folder + r"/(\w+)", script.read()))
    return sorted(here() & set(os.listdir(os.path.join(root, folder))) - judged_there)


def suffixes(device):
    out = subprocess.run([assay, "eval", "level1/19", "/dev/null", "--device", device], stderr=subprocess.PIPE, text=True)
    return re.search(r" device takes (\..*) files$", out.stderr.strip()).group(1).split(" and ")


if __name__ == "__main__":
    print(*{"judged": judged, "here": here, "suffixes": suffixes}[sys.argv[1]](*sys.argv[2:]), sep="\n")
