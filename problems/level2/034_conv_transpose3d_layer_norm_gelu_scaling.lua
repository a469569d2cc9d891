problem { "Transposed 3-D convolution, layer norm, GELU, scale", level = 2, id = 34,
          repaired = "norm weights and biases are random: ones and zeros could be left out" }
sizes { full = { B = 32, I = 32, O = 64, D = 16, W = 32 },
        small = { B = 1, I = 8, O = 8, D = 4, W = 10 } }
-- The published constructor makes a norm of O elements: it fits where the rows have as many.
if O == 2 * W then init(I, O, 4, 2, 1, true, 1e-05, 1.0) end

-- The norm is over the last axis, 2 W: as published, where that is 64 like the channels.
local x = input("x", f32, { B, I, D, W, W })
local y = nn.conv_transpose3d("conv_transpose", I, O, { k = 4, stride = 2, pad = 1 })(x)
output("y", gelu(nn.layer_norm("layer_norm", 2 * W)(y)) * 1)
