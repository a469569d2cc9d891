problem { "3-D convolution, scale, tanh, multiply, sigmoid", level = 2, id = 48 }
sizes { full = { B = 128, I = 3, O = 16, D = 16, W = 64 },
        small = { B = 2, I = 3, O = 16, D = 6, W = 18 } }
init(I, O, 3, 2, tuple(O, 1, 1, 1))

local x = input("x", f32, { B, I, D, W, W })
local scale = param("scaling_factor", f32, { O, 1, 1, 1 }, normal())
local bias = param("bias", f32, { O, 1, 1, 1 }, normal())
local y = nn.conv3d("conv", I, O, { k = 3 })(x)
output("y", sigmoid(tanh(y * scale) * bias))
