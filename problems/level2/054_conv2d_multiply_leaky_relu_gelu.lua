problem { "Convolution, multiplier per channel, leaky ReLU, GELU", level = 2, id = 54 }
sizes { full = { B = 64, I = 64, O = 64, W = 256 }, small = { B = 2, I = 8, O = 16, W = 26 } }
init(I, O, 3, tuple(O, 1, 1))

local x = input("x", f32, { B, I, W, W })
local multiplier = param("multiplier", f32, { O, 1, 1 }, normal())
local y = nn.conv2d("conv", I, O, { k = 3 })(x) * multiplier
output("y", gelu(leaky_relu(y)))
