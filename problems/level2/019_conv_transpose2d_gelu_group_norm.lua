problem { "Transposed convolution, GELU, group norm", level = 2, id = 19,
          repaired = "norm weights and biases are random: ones and zeros could be left out" }
sizes { full = { B = 128, I = 64, O = 64, W = 256 }, small = { B = 2, I = 8, O = 16, W = 16 } }
init(I, O, 3, 1, 8, 8)

local x = input("x", f32, { B, I, W, W })
local y = gelu(nn.conv_transpose2d("conv_transpose", I, O, { k = 3 })(x))
output("y", nn.group_norm("group_norm", 8, O)(y))
