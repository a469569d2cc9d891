# SPDX-License-Identifier: MIT
# Transposed convolution, batch norm, tanh, max pool, group norm in plain torch. cuDNN would use TF32 by default.
# problem: level2/11
# expected: pass
import torch
from torch import nn

torch.backends.cudnn.allow_tf32 = False


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, groups, num_groups):
        super().__init__()
        # Upstream has `groups` among the arguments, and does not use it for the convolution either.
        self.conv_transpose = nn.ConvTranspose2d(in_channels, out_channels, kernel_size, stride=stride, padding=padding)
        self.batch_norm = nn.BatchNorm2d(out_channels)
        self.max_pool = nn.MaxPool2d(kernel_size=2, stride=2)
        self.group_norm = nn.GroupNorm(num_groups=num_groups, num_channels=out_channels)

    def forward(self, x):
        x = torch.tanh(self.batch_norm(self.conv_transpose(x)))
        return self.group_norm(self.max_pool(x))
