# SPDX-License-Identifier: MIT
# Opens a socket in a call. expected: rejected: sandbox: call: made a system call no kernel needs (fork, exec,
# network, ...)
import torch
from torch import nn

import socket


class ModelNew(nn.Module):
    def forward(self, x):
        socket.socket()
        return torch.relu(x)
