# SPDX-License-Identifier: MIT
# An autograd function. expected: pass
import torch
from torch import nn


class Relu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0)

    @staticmethod
    def backward(ctx, grad):
        return grad * (ctx.saved_tensors[0] > 0)


class ModelNew(nn.Module):
    def forward(self, x):
        return Relu.apply(x)
