# SPDX-License-Identifier: MIT
# A convolution in three dimensions, the least over depth, softmax over channels.
import torch
import torch.nn as nn

batch_size = 1
in_channels = 3
out_channels = 24
depth, height, width = 10, 18, 18
kernel_size = 3
dim = 2


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, dim):
        super().__init__()
        self.conv = nn.Conv3d(in_channels, out_channels, kernel_size)
        self.dim = dim

    def forward(self, x):
        x = self.conv(x)
        x = torch.min(x, dim=self.dim)[0]
        x = torch.softmax(x, dim=1)
        return x


def get_inputs():
    return [torch.randn(batch_size, in_channels, depth, height, width)]


def get_init_inputs():
    return [in_channels, out_channels, kernel_size, dim]
