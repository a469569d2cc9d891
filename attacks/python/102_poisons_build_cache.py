# SPDX-License-Identifier: MIT
# Plants a library where the next process would look for an extension that is built already. Each process has a folder
# of its own, and no cache but that. Had a planted one been found, or another cache been written, the import would
# fail. expected: pass
import os

import torch
from torch import nn


HOME = os.path.expanduser("~")
OWN = [os.path.join(HOME, ".cache/torch_extensions/relu/relu.so"), os.path.join(HOME, ".triton/cache/relu/relu.so")]
OTHERS = ["/root/.cache", "/var/cache", "/tmp/torchinductor_root", os.environ.get("ASSAY_CACHE", "")]


def plant(path):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(b"planted")


for path in OWN:
    if os.path.exists(path):
        raise RuntimeError(f"{path} was planted by another process")
    plant(path)
for place in filter(None, OTHERS):
    try:
        plant(os.path.join(place, "assay-attack/relu.so"))
    except OSError:
        continue
    raise RuntimeError(f"{place} can be written")


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
