# SPDX-License-Identifier: MIT
# One step of a plain recurrent network, and its output.
import torch
import torch.nn as nn

batch_size = 16
input_size = 48
hidden_size = 64
output_size = 32


class Model(nn.Module):
    def __init__(self, input_size, hidden_size, output_size):
        super().__init__()
        self.i2h = nn.Linear(input_size + hidden_size, hidden_size)
        self.h2o = nn.Linear(hidden_size, output_size)
        self.tanh = nn.Tanh()

    def forward(self, x, initial_hidden):
        combined = torch.cat((x, initial_hidden), dim=1)
        hidden = self.tanh(self.i2h(combined))
        return self.h2o(hidden)


def get_inputs():
    return [torch.randn(batch_size, input_size), torch.randn(batch_size, hidden_size)]


def get_init_inputs():
    return [input_size, hidden_size, output_size]
