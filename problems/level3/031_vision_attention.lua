problem { "Self-attention over the pixels of an image, layer norm", level = 3, id = 31,
          repaired = "norm weights and biases are random: ones and zeros could be left out" }
sizes { full = { B = 2, C = 128, W = 128, HEADS = 4 }, small = { B = 2, C = 64, W = 8, HEADS = 4 } }
init(C, HEADS)

local x = input("x", f32, { B, C, W, W })
local pixels = rearrange(x, "b c h w -> b (h w) c")
local y = nn.mha("attn", C, HEADS, { batch_first = true })(pixels)
y = nn.layer_norm("norm", C)(y + pixels)
output("y", rearrange(y, "b (h w) c -> b c h w", { h = W }))
