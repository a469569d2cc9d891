problem { "3-D convolution, mish, tanh", level = 2, id = 47 }
sizes { full = { B = 16, I = 32, O = 64, D = 32, W = 64 },
        small = { B = 2, I = 4, O = 8, D = 6, W = 18 } }
init(I, O, 3)

local x = input("x", f32, { B, I, D, W, W })
output("y", tanh(mish(nn.conv3d("conv", I, O, { k = 3 })(x))))
