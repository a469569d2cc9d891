# SPDX-License-Identifier: MIT
# A transposed convolution in three dimensions, a learned addend, layer norm, average pool, GELU.
import torch
import torch.nn as nn

batch_size = 1
in_channels = 8
out_channels = 8
depth, height, width = 4, 16, 16
norm_shape = (2 * width,)


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, output_padding, sum_weight, norm_shape,
                 pool_kernel_size):
        super().__init__()
        self.conv_transpose = nn.ConvTranspose3d(in_channels, out_channels, kernel_size, stride=stride,
                                                 padding=padding, output_padding=output_padding)
        self.sum_weight = nn.Parameter(torch.tensor(sum_weight))
        self.norm = nn.LayerNorm(norm_shape)
        self.avg_pool = nn.AvgPool3d(kernel_size=pool_kernel_size)
        self.gelu = nn.GELU()

    def forward(self, x):
        x = self.conv_transpose(x)
        x = x + self.sum_weight
        x = self.norm(x)
        x = self.avg_pool(x)
        return self.gelu(x)


def get_inputs():
    return [torch.randn(batch_size, in_channels, depth, height, width)]


def get_init_inputs():
    return [in_channels, out_channels, (3, 3, 3), (2, 2, 2), (1, 1, 1), (1, 1, 1), 1.0, norm_shape, (2, 2, 2)]
