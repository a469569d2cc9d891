# SPDX-License-Identifier: MIT
# Plants a library where another candidate would look for an extension that is built already. Each has a folder of its
# own, which only its own rehearsal fills. Had a foreign one been found, or another cache been written, the import
# would fail. expected: pass
import os

import torch
from torch import nn


HOME = os.path.expanduser("~")
OWN = [os.path.join(HOME, ".cache/torch_extensions/relu/relu.so"), os.path.join(HOME, ".triton/cache/relu/relu.so")]
PLANTED = b"planted by 102"
OTHERS = ["/root/.cache", "/var/cache", "/tmp/torchinductor_root", os.environ.get("ASSAY_CACHE", "")]


def plant(path):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(PLANTED)


for path in OWN:
    if os.path.exists(path) and open(path, "rb").read() != PLANTED:
        raise RuntimeError(f"{path} was planted by another candidate")
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
