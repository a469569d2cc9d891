problem { "Convolution, subtract, tanh, subtract, average pool", level = 2, id = 46 }
sizes { full = { B = 128, I = 64, O = 128, W = 128 }, small = { B = 1, I = 8, O = 16, W = 34 } }
init(I, O, 3, 0.5, 0.2, 2)

local x = input("x", f32, { B, I, W, W })
local y = tanh(nn.conv2d("conv", I, O, { k = 3 })(x) - 0.5) - 0.2
output("y", avg_pool(y, { k = 2 }))
