problem { "3-D convolution, ReLU, leaky ReLU, GELU, sigmoid, bias", level = 2, id = 7 }
sizes { full = { B = 64, I = 8, O = 32, D = 32, W = 64 },
        small = { B = 2, I = 4, O = 8, D = 6, W = 18 } }
init(I, O, 3, tuple(O, 1, 1, 1))

local x = input("x", f32, { B, I, D, W, W })
local bias = param("bias", f32, { O, 1, 1, 1 }, normal())
local y = relu(nn.conv3d("conv", I, O, { k = 3 })(x))
output("y", sigmoid(gelu(leaky_relu(y, 0.01))) + bias)
