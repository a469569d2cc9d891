# SPDX-License-Identifier: MIT
# Opens a socket at import. expected: rejected: sandbox: loading: made a system call no kernel needs (fork, exec,
# network, ...)
import torch
from torch import nn

import socket

socket.create_connection(("127.0.0.1", 9))


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
