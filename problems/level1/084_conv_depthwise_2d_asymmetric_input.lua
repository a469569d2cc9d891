problem { "Depthwise convolution, 2-D, 3 x 3, on wide images", level = 1, id = 84 }
sizes { full = { B = 64, C = 128, H = 256, W = 512 }, small = { B = 2, C = 16, H = 14, W = 34 } }
init(C, C, 3, 1, 0)

local x = input("x", f32, { B, C, H, W })
output("y", nn.conv2d("conv2d", C, C, { k = 3, groups = C, bias = false })(x))
