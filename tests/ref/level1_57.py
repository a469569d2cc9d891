# SPDX-License-Identifier: MIT
# Transposed convolution in two dimensions.
import torch
import torch.nn as nn

batch_size = 2
channels = 16
width = 18
kernel_size = 3


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1,
                 bias=False):
        super().__init__()
        self.conv_transpose2d = nn.ConvTranspose2d(in_channels, out_channels, kernel_size, stride=stride,
                                                   padding=padding, output_padding=output_padding, groups=groups,
                                                   bias=bias)

    def forward(self, x):
        return self.conv_transpose2d(x)


def get_inputs():
    return [torch.randn(batch_size, channels, width, width)]


def get_init_inputs():
    return [channels, channels, kernel_size]
