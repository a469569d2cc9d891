problem { "Transposed 3-D convolution, scale, average pool, bias, scale", level = 2, id = 50,
          repaired = "both scales are random: the second one, 1, could be left out" }
sizes { full = { B = 128, I = 3, O = 16, D = 16, W = 32 },
        small = { B = 1, I = 3, O = 8, D = 6, W = 18 } }
init(I, O, 3, 2, 1, 0.5, 1.0, tuple(O, 1, 1, 1))

local x = input("x", f32, { B, I, D, W, W })
local scale1 = param("scale1", f32, {}, normal(0.5, 0.125))
local bias = param("bias", f32, { O, 1, 1, 1 }, normal())
local scale2 = param("scale2", f32, {}, normal(1, 0.25))
local y = nn.conv_transpose3d("conv_transpose", I, O, { k = 3, stride = 2, pad = 1 })(x)
output("y", (avg_pool(y * scale1, { k = 2 }) + bias) * scale2)
