# SPDX-License-Identifier: MIT
# Takes the tensor that is subtracted off the convolution's own bias. problem: level2/5 fixed: pass expected: wrong:
# stale_weights
import torch
from torch import nn
from torch.nn import functional as F


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, bias_shape, stride=2, padding=1, output_padding=1):
        super().__init__()
        self.conv_transpose = nn.ConvTranspose2d(in_channels, out_channels, kernel_size, stride=stride,
                                                 padding=padding, output_padding=output_padding)
        self.bias = nn.Parameter(torch.randn(bias_shape))
        self.offset = (self.conv_transpose.bias - self.bias.flatten()).detach()

    def forward(self, x):
        c = self.conv_transpose
        return torch.tanh(F.conv_transpose2d(x, c.weight, self.offset, c.stride, c.padding, c.output_padding))
