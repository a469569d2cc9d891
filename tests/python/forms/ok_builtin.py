# SPDX-License-Identifier: MIT
# run is a function of torch's that is written in C. expected: pass
import torch

run = torch.relu
