problem { "Convolution, leaky ReLU, sum with a number per channel, clamp, GELU",
          level = 2, id = 90 }
sizes { full = { B = 128, I = 8, O = 64, D = 16, W = 64 },
        small = { B = 2, I = 8, O = 8, D = 4, W = 18 } }
init(I, O, 3, tuple(O, 1, 1, 1))

local x = input("x", f32, { B, I, D, W, W })
local sum_tensor = param("sum_tensor", f32, { O, 1, 1, 1 }, normal())
local y = leaky_relu(nn.conv3d("conv", I, O, { k = 3 })(x), 0.2)
output("y", gelu(clamp(y + sum_tensor, -1, 1)))
