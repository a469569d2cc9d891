problem { "Depthwise convolution, 2-D, 3 x 1", level = 1, id = 83 }
sizes { full = { B = 64, C = 8, W = 512 }, small = { B = 4, C = 8, W = 26 } }
init(C, 3, 1, 0, 1)

local x = input("x", f32, { B, C, W, W })
output("y", nn.conv2d("conv2d", C, C, { k = { 3, 1 }, groups = C, bias = false })(x))
