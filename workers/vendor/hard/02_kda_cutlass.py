# SPDX-License-Identifier: MIT
"""No vendor has this one: the chunk form in plain PyTorch, batched products in float32 and a loop over chunks for the
state. Decays within a chunk are mild, so that exp(G) and exp(-G) can be taken apart."""
import torch

CHUNK = 64


def chunks(x):
    """(B, T, H, ...) -> (B, H, chunks, CHUNK, ...), in float32"""
    x = x.float().view(B, T // CHUNK, CHUNK, H, -1)
    return x.permute(0, 3, 1, 2, 4)


def run(q, k, v, g, beta):
    q, k, v, g, beta = (chunks(x) for x in (q, k, v, g, beta))
    decay = g.cumsum(3)
    forward, back = torch.exp(decay), torch.exp(-decay)
    seen, written = k * forward, k * back
    asked = q * forward * K**-0.5
    eye = torch.eye(CHUNK, device=q.device)
    lower = (beta * (seen @ written.mT)).tril(-1) + eye
    inverse = torch.linalg.solve_triangular(lower, eye.expand_as(lower), upper=False, unitriangular=True)
    inverse = inverse * beta.mT
    w, u = inverse @ seen, inverse @ v
    within = (asked @ written.mT).tril()
    last = forward[..., -1:, :]
    kept = (written * last).mT
    state = torch.zeros(B, H, K, V, device=q.device)
    out = []
    for n in range(T // CHUNK):
        fresh = u[:, :, n] - w[:, :, n] @ state
        out.append(asked[:, :, n] @ state + within[:, :, n] @ fresh)
        state = last[:, :, n].mT * state + kept[:, :, n] @ fresh
    return torch.stack(out, 2).permute(0, 2, 3, 1, 4).reshape(B, T, H, V).bfloat16()
