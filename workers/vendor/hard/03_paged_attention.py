# SPDX-License-Identifier: MIT
"""PyTorch's flash attention on a contiguous copy of the pages, which is made in the call: it knows no block tables. Where
this torch has no attention over ragged lengths, scaled_dot_product_attention with a mask; what lies behind a sequence's
end may be NaN, which a mask multiplies by 0, so it is replaced first. Which of the two it was is printed."""
import torch
import torch.nn.functional as F

chosen = None


def pages(kv_cache, block_table):
    return kv_cache[block_table.long()].view(B, -1, HKV, 2 * D)


def flash(query, kv_cache, block_table, seq_lens):
    kv = pages(kv_cache, block_table)
    tokens = kv.shape[1]
    kv = kv.view(B * tokens, HKV, 2 * D)
    ends = torch.arange(B + 1, dtype=torch.int32, device=query.device)
    return torch.ops.aten._flash_attention_forward(query, kv[..., :D], kv[..., D:], ends, ends * tokens, 1, tokens, 0.0,
                                                   False, False, scale=D**-0.5, seqused_k=seq_lens)[0]


def masked(query, kv_cache, block_table, seq_lens):
    kv = pages(kv_cache, block_table)
    seen = torch.arange(kv.shape[1], device=kv.device) < seq_lens.view(B, 1)
    kv = torch.where(seen.view(B, -1, 1, 1), kv, 0).transpose(1, 2)
    out = F.scaled_dot_product_attention(query.view(B, H, 1, D), kv[..., :D], kv[..., D:],
                                         attn_mask=seen.view(B, 1, 1, -1), enable_gqa=True)
    return out.view(B, H, D)


def run(*tensors):
    global chosen
    if chosen is None:
        try:
            flash(*tensors)
            chosen = flash
        except (AttributeError, NotImplementedError, RuntimeError, TypeError) as error:
            print(f"masked attention: {error}"[:200], flush=True)
            chosen = masked
        print("attention:", chosen.__name__, flush=True)
    return chosen(*tensors)
