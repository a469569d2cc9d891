problem { "Pointwise convolution, 2-D: a linear layer for every pixel", level = 1, id = 87 }
sizes { full = { B = 16, C = 64, W = 1024, O = 128 }, small = { B = 2, C = 32, W = 20, O = 48 } }
init(C, O)

local x = input("x", f32, { B, C, W, W })
output("y", nn.conv2d("conv1d", C, O, { k = 1, bias = false })(x))
