problem { "Convolution, subtract twice, mish", level = 2, id = 87 }
sizes { full = { B = 128, I = 8, O = 64, W = 256 }, small = { B = 2, I = 8, O = 16, W = 26 } }
init(I, O, 3, 0.5, 0.2)

local x = input("x", f32, { B, I, W, W })
output("y", mish(nn.conv2d("conv", I, O, { k = 3 })(x) - 0.5 - 0.2))
