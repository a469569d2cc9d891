problem { "Convolution, bias, scale, sigmoid, group norm", level = 2, id = 21,
          repaired = "norm weights and biases are random: ones and zeros could be left out" }
sizes { full = { B = 128, I = 8, O = 32, W = 256 }, small = { B = 2, I = 8, O = 16, W = 20 } }
init(I, O, 3, 8, tuple(O, 1, 1), tuple(O, 1, 1))

local x = input("x", f32, { B, I, W, W })
local bias = param("bias", f32, { O, 1, 1 }, normal())
local scale = param("scale", f32, { O, 1, 1 }, normal())
local y = nn.conv2d("conv", I, O, { k = 3 })(x)
output("y", nn.group_norm("group_norm", 8, O)(sigmoid((y + bias) * scale)))
