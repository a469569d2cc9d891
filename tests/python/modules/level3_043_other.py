# SPDX-License-Identifier: MIT
# Causal attention: other names and order. problem: level3/43 expected: pass
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, n_embd, n_head, attn_pdrop, resid_pdrop, max_seqlen):
        super().__init__()
        self.heads = n_head
        self.out = nn.Linear(n_embd, n_embd)
        self.qkv = nn.Linear(n_embd, 3 * n_embd)

    def forward(self, x):
        size, length, width = x.shape
        q, k, v = self.qkv(x).view(size, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        later = torch.ones(length, length, dtype=torch.bool).triu(1)
        mixed = scores.masked_fill(later, float("-inf")).softmax(-1) @ v
        return self.out(mixed.transpose(1, 2).reshape(size, length, width))
