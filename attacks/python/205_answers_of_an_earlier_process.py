# SPDX-License-Identifier: MIT
# Writes every answer to a file, by a hash of the content, wherever it can. A later process looks for files when it is
# imported. Each process has a folder of its own, and scored contents of its own.
# device: cpu expected: pass at least 300 us
import glob
import hashlib
import os
import time

import torch
from torch import nn


def work(microseconds):
    """The honest work, made long enough to be seen."""
    end = time.perf_counter_ns() + 1000 * microseconds
    while time.perf_counter_ns() < end:
        pass


PLACES = ("/dev/shm", "/dev/shm/candidate", "/tmp", "/var/tmp", os.environ.get("HOME", "/root"))
MARK = "assay-attack-answer-"

left = {}
for path in [found for place in PLACES for found in glob.glob(os.path.join(place, MARK + "*"))]:
    left[path.rpartition("-")[2]] = torch.from_file(path, size=os.path.getsize(path) // 4)


def leave(name, y):
    for place in PLACES:
        try:
            y.numpy().tofile(os.path.join(place, MARK + name))
        except OSError:
            continue


class ModelNew(nn.Module):
    def forward(self, x):
        name = hashlib.sha1(x.numpy()).hexdigest()
        if name in left:
            return left[name].view(x.shape)
        work(300)
        y = torch.relu(x)
        leave(name, y)
        return y
