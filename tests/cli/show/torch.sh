# Composites in PyTorch's words, core ops one by one, parameters under their dotted names.
cat >block.lua <<'L'
problem { "Attention block" }
sizes { full = { B = 32, T = 128, C = 256 }, small = { B = 2, T = 16, C = 32 } }
local x = input("x", f32, { B, T, C })
local keep = input("in", bool, { B, T, 1 }, bernoulli(0.9))
local h = nn.layer_norm("blocks.0.norm", C)(x)
local q, k, v = split(nn.linear("blocks.0.qkv", C, 3 * C, { bias = false })(h), 3, { dim = -1 })
h = where(keep, sdpa(q, k, v, { causal = true }), 0)
local scale = param("blocks.1.scale", f32, { C }, normal(1, 0.1))
output("y", x + gelu(h) * maximum(scale, 0.5) / 2)
L
"$ASSAY" show block.lua --as torch
"$ASSAY" show block.lua --as torch --sizes full | grep -c 'randn(32, 128, 256)'
