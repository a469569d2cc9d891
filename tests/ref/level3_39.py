# SPDX-License-Identifier: MIT
# A GRU of two layers.
import torch
import torch.nn as nn

sequence_length = 12
batch_size = 4
input_size = 16
hidden_size = 24
num_layers = 2


class Model(nn.Module):
    def __init__(self, input_size, hidden_size, num_layers=3, bias=True, batch_first=False):
        super().__init__()
        self.gru = nn.GRU(input_size, hidden_size, num_layers, bias, batch_first, dropout=0, bidirectional=False)

    def forward(self, x, h0):
        output, h_n = self.gru(x, h0)
        return output


def get_inputs():
    return [torch.randn(sequence_length, batch_size, input_size), torch.randn(num_layers, batch_size, hidden_size)]


def get_init_inputs():
    return [input_size, hidden_size, num_layers]
