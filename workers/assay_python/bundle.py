# SPDX-License-Identifier: MIT
"""What the judge sends in place of an artifact (src/process/bundle.c): a line of JSON, then the
bytes of the candidate's files one after the other.

    {"files": [["model.py", 123], ...], "main": "model.py", "entry": "", "inputs": ["x"],
     "params": [{"name": "w", "dtype": "f32", "shape": [4, 8]}], "outputs": ["y"],
     "weights": "per_call", "results_named": true,
     "module": {"init_python": "[64, (3, 5)]", "forward": [{"input": 0}, {"value": 3.14}],
                "state": ["weight"], "mode": "train", ...}}    src/problem/construct.h

"frozen", if it is there, has names and sizes of more files: what the rehearsal left below PLACE.
"""
import ast
import json
import os
import stat

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
        self.frozen = {}
        for name, size in self.head.get("frozen", []):
            self.frozen[name], rest = rest[:size], rest[size:]
        if rest:
            raise ValueError("the bundle is longer than its files")

    @property
    def main(self):
        return self.head["main"]

    @property
    def module(self):
        return self.head["module"]

    @property
    def fixed(self):
        return self.head["weights"] == "fixed"

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
        for name, data in self.frozen.items():
            write_file(os.path.join(PLACE, name), data)
        for name, data in self.files.items():
            write_file(os.path.join(FOLDER, name), data)
        return os.path.join(FOLDER, self.main)


def write_file(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


# Locks of who compiled, headers that a compiler keeps for itself, and objects that are in a library by now.
LEFT_OUT = (".o", ".gch", ".pch", "/lock", ".lock", ".pyc")


def saved_files(bundle):
    """Names below PLACE, with their sizes. Links and files that the judge sends anyway are left out."""
    own = {os.path.join(FOLDER, name) for name in bundle.files}
    for folder, _, names in sorted(os.walk(PLACE)):
        for path in sorted(os.path.join(folder, name) for name in names):
            status = os.lstat(path)
            if stat.S_ISREG(status.st_mode) and path not in own and not path.endswith(LEFT_OUT):
                yield path, status.st_size


def save_folder(fd, bundle):
    """Writes what is below PLACE in the form of a bundle (src/process/bundle.h)."""
    files = list(saved_files(bundle))
    head = {"files": [[os.path.relpath(path, PLACE), size] for path, size in files]}
    with open(fd, "wb", closefd=False) as out:
        out.write(json.dumps(head).encode() + b"\n")
        for path, size in files:
            with open(path, "rb") as file:
                data = file.read(size)
            out.write(data + bytes(size - len(data)))
