# SPDX-License-Identifier: MIT
"""What the judge sends in place of an artifact (src/process/bundle.c): a line of JSON, then the
bytes of the candidate's files one after the other.

    {"files": [["model.py", 123], ...], "main": "model.py", "entry": "", "inputs": ["x"],
     "params": [{"name": "w", "dtype": "f32", "shape": [4, 8]}], "outputs": ["y"],
     "module": {"init_python": "[64, (3, 5)]", "forward": [{"input": 0}, {"value": 3.14}],
                "state": ["weight"], "mode": "train", ...}}    src/problem/construct.h
"""
import ast
import json
import os

# The candidate's folder, the same for every candidate and process. sandbox_settle() mounts a scratch
# folder at PLACE, which no other process sees.
PLACE = "/dev/shm"
FOLDER = PLACE + "/candidate"


class Bundle:
    def __init__(self, data):
        head, _, rest = data.partition(b"\n")
        self.head = json.loads(head)
        self.files = {}
        for name, size in self.head["files"]:
            self.files[name], rest = rest[:size], rest[size:]
        if rest:
            raise ValueError("the bundle is longer than its files")

    @property
    def main(self):
        return self.head["main"]

    @property
    def module(self):
        return self.head["module"]

    def init(self):
        """The constructor's arguments, or None if the problem states none."""
        text = self.module["init_python"]
        return None if text is None else ast.literal_eval(text)

    def params(self):
        """(the module's name, shape, name of the dtype) of each parameter, in the problem's order."""
        return [(name, tuple(param["shape"]), param["dtype"])
                for name, param in zip(self.module["state"], self.head["params"])]

    def forward(self, inputs):
        """The arguments of forward, in order: inputs, and plain numbers among them."""
        return [inputs[arg["input"]] if "input" in arg else arg["value"] for arg in self.module["forward"]]

    def text(self):
        return self.files[self.main]

    def unpack(self):
        """Writes the files, if there is a scratch folder. Returns the path of the main one."""
        for name, data in self.files.items():
            path = os.path.join(FOLDER, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(data)
        return os.path.join(FOLDER, self.main)
