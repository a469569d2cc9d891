# SPDX-License-Identifier: MIT
"""The judge as tests/suites/suite_judge lends it: requests and answers, one line each."""
import glob
import json
import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LEVELS = ("level1", "level2", "level3")


class JudgeError(Exception):
    """We could not find out."""


class Judge:
    def __init__(self, build):
        self.process = subprocess.Popen(
            [os.path.join(build, "suites", "suite_judge")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=dict(os.environ, ASSAY_SHARE=ROOT, OMP_NUM_THREADS="1"),
        )

    def ask(self, *words):
        self.process.stdin.write(" ".join(str(w) for w in words) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise JudgeError(f"suite_judge died of {' '.join(str(w) for w in words)}")
        answer = json.loads(line)
        if "error" in answer:
            raise JudgeError(answer["error"])
        return answer

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def problems(wanted):
    """Names such as level1/019_relu: all of levels 1 to 3, or those that contain a word of wanted.
    A word that ends in .lua is the path of a problem."""
    found = [os.path.abspath(word) for word in wanted if word.endswith(".lua")]
    for level in LEVELS:
        for path in sorted(glob.glob(os.path.join(ROOT, "problems", level, "*.lua"))):
            name = level + "/" + os.path.basename(path)[: -len(".lua")]
            if not wanted or any(word in name for word in wanted):
                found.append(name)
    return found
