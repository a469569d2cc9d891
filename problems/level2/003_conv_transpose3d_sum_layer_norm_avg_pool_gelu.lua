problem { "Transposed 3-D convolution, add, layer norm, average pool, GELU", level = 2, id = 3,
          repaired = "the addend, norm weights and biases are random: constants could be left out" }
sizes { full = { B = 32, I = 32, O = 64, D = 16, W = 32 },
        small = { B = 1, I = 8, O = 8, D = 4, W = 16 } }
init(I, O, tuple(3, 3, 3), tuple(2, 2, 2), tuple(1, 1, 1), tuple(1, 1, 1), 1.0, tuple(2 * W), tuple(2, 2, 2))

-- The norm is over the last axis, 2 W: as published, where that is 64 like the channels.
local x = input("x", f32, { B, I, D, W, W })
local addend = param("sum_weight", f32, {}, normal(1, 0.25))
local up = { k = 3, stride = 2, pad = 1, output_pad = 1 }
local y = nn.conv_transpose3d("conv_transpose", I, O, up)(x) + addend
y = nn.layer_norm("norm", 2 * W)(y)
output("y", gelu(avg_pool(y, { k = 2 })))
