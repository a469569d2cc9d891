# SPDX-License-Identifier: MIT
# A bidirectional LSTM, and a linear layer on its last step.
import torch
import torch.nn as nn

batch_size = 4
sequence_length = 12
input_size = 16
hidden_size = 24
num_layers = 2
output_size = 10
dropout = 0.0


class Model(nn.Module):
    def __init__(self, input_size, hidden_size, num_layers, output_size, dropout=0.0):
        super().__init__()
        self.lstm = nn.LSTM(input_size=input_size, hidden_size=hidden_size, num_layers=num_layers, batch_first=True,
                            dropout=dropout, bidirectional=True)
        self.fc = nn.Linear(hidden_size * 2, output_size)

    def forward(self, x, h0, c0):
        out, hn = self.lstm(x, (h0, c0))
        out = self.fc(out[:, -1, :])
        return out


def get_inputs():
    states = (num_layers * 2, batch_size, hidden_size)
    return [torch.randn(batch_size, sequence_length, input_size), torch.randn(states), torch.randn(states)]


def get_init_inputs():
    return [input_size, hidden_size, num_layers, output_size, dropout]
