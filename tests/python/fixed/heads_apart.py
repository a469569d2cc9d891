# SPDX-License-Identifier: MIT
# Packs queries, keys and values by heads, with the queries scaled. problem: level3/43 fixed: pass expected: wrong:
# stale_weights
import torch
from torch import nn
from torch.nn import functional as F


class ModelNew(nn.Module):
    def __init__(self, n_embd, n_head, attn_pdrop, resid_pdrop, max_seqlen):
        super().__init__()
        self.c_attn = nn.Linear(n_embd, 3 * n_embd)
        self.c_proj = nn.Linear(n_embd, n_embd)
        weight = self.c_attn.weight.detach().view(3, n_head, n_embd // n_head, n_embd).clone()
        bias = self.c_attn.bias.detach().view(3, n_head, 1, n_embd // n_head).clone()
        weight[0] *= (n_embd // n_head) ** -0.5
        bias[0] *= (n_embd // n_head) ** -0.5
        self.qkv = list(zip(weight.transpose(2, 3).contiguous(), bias))

    def forward(self, x):
        q, k, v = (x.unsqueeze(1) @ weight + bias for weight, bias in self.qkv)
        hidden = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool, device=x.device).triu(1)
        att = F.softmax((q @ k.transpose(-2, -1)).masked_fill(hidden, float("-inf")), dim=-1)
        return self.c_proj((att @ v).transpose(1, 2).reshape(x.shape))
