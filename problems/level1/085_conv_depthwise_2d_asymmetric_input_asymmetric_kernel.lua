problem { "Depthwise convolution, 2-D, 3 x 7, on wide images", level = 1, id = 85 }
sizes { full = { B = 32, C = 128, H = 128, W = 256 }, small = { B = 2, C = 16, H = 14, W = 38 } }
init(C, C, 3, 7, 1, 1, 0, 0, 1, 1, C)

local x = input("x", f32, { B, C, H, W })
output("y", nn.conv2d("conv2d", C, C, { k = { 3, 7 }, groups = C, bias = false })(x))
