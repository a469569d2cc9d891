-- SPDX-License-Identifier: MIT
-- minGPT's causal self-attention of x (B, T, C) with HEADS heads. name ends in a dot or is empty.
return function(name, x)
  local q, k, v = split(nn.linear(name .. "c_attn", C, 3 * C)(x), 3, { dim = -1 })
  local function heads(t) return rearrange(t, "b t (h d) -> b h t d", { h = HEADS }) end
  local y = sdpa(heads(q), heads(k), heads(v), { causal = true })
  return nn.linear(name .. "c_proj", C, C)(rearrange(y, "b h t d -> b t (h d)"))
end
