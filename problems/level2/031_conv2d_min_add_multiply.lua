problem { "Convolution, minimum with a constant, bias, multiply", level = 2, id = 31 }
sizes { full = { B = 128, I = 64, O = 128, W = 128 }, small = { B = 2, I = 8, O = 16, W = 20 } }
init(I, O, 3, 0.5, tuple(O, 1, 1), 2.0)

local x = input("x", f32, { B, I, W, W })
local bias = param("bias", f32, { O, 1, 1 }, normal())
output("y", (minimum(nn.conv2d("conv", I, O, { k = 3 })(x), 0.5) + bias) * 2)
