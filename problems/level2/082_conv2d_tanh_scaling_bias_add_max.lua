problem { "Convolution, tanh, scale, bias, max pool", level = 2, id = 82 }
sizes { full = { B = 128, I = 8, O = 64, W = 256 }, small = { B = 2, I = 4, O = 8, W = 66 } }
init(I, O, 3, 2.0, tuple(O, 1, 1), 4)

local x = input("x", f32, { B, I, W, W })
local bias = param("bias", f32, { O, 1, 1 }, normal())
local y = tanh(nn.conv2d("conv", I, O, { k = 3 })(x)) * 2 + bias
output("y", max_pool(y, { k = 4 }))
