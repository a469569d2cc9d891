problem { "Depthwise convolution, 2-D, 3 x 3", level = 1, id = 82 }
sizes { full = { B = 16, C = 64, W = 512 }, small = { B = 2, C = 16, W = 26 } }
init(C, 3, 1, 0)

local x = input("x", f32, { B, C, W, W })
output("y", nn.conv2d("conv2d", C, C, { k = 3, groups = C, bias = false })(x))
