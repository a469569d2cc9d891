# SPDX-License-Identifier: MIT
# Max pooling in two dimensions, padded.
import torch
import torch.nn as nn

batch_size = 2
channels = 8
width = 48
kernel_size = 4
stride = 1
padding = 1
dilation = 1


class Model(nn.Module):
    def __init__(self, kernel_size, stride, padding, dilation):
        super().__init__()
        self.maxpool = nn.MaxPool2d(kernel_size=kernel_size, stride=stride, padding=padding, dilation=dilation)

    def forward(self, x):
        return self.maxpool(x)


def get_inputs():
    return [torch.randn(batch_size, channels, width, width)]


def get_init_inputs():
    return [kernel_size, stride, padding, dilation]
