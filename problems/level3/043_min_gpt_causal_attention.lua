problem { "Causal self-attention of minGPT", level = 3, id = 43 }
sizes { full = { B = 128, T = 512, C = 768, HEADS = 8 },
        small = { B = 2, T = 24, C = 64, HEADS = 8 } }

local x = input("x", f32, { B, T, C })
local q, k, v = split(nn.linear("c_attn", C, 3 * C)(x), 3, { dim = -1 })
local function heads(t) return rearrange(t, "b t (h d) -> b h t d", { h = HEADS }) end
local y = sdpa(heads(q), heads(k), heads(v), { causal = true })
output("y", nn.linear("c_proj", C, C)(rearrange(y, "b h t d -> b t (h d)")))
