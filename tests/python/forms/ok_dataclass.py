# SPDX-License-Identifier: MIT
# A dataclass, which looks for its module by name. expected: pass
from torch import nn

import dataclasses


@dataclasses.dataclass
class Settings:
    floor: float = 0.0


class ModelNew(nn.Module):
    def forward(self, x):
        return x.clamp(min=Settings().floor)
