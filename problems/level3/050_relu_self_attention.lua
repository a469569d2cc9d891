problem { "Causal self-attention with relu in place of softmax", level = 3, id = 50 }
sizes { full = { B = 16, T = 1024, C = 768, HEADS = 12 },
        small = { B = 2, T = 24, C = 96, HEADS = 12 } }
init(C, HEADS, T)

local x = input("x", f32, { B, T, C })
local q, k, v = split(nn.linear("c_attn", C, 3 * C)(x), 3, { dim = -1 })
nn.linear("c_proj", C, C) -- declared and never applied, as published
local function heads(t) return rearrange(t, "b t (h d) -> b h t d", { h = HEADS }) end
local scores = matmul(heads(q), heads(k), { trans_b = true }) / sqrt(C // HEADS)
-- Masked with -inf in front of a relu: the upper triangle is 0.
local y = matmul(tril(relu(scores)), heads(v))
output("y", rearrange(y, "b h t d -> b t (h d)"))
