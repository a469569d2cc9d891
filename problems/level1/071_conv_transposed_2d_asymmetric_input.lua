problem { "Transposed convolution, 2-D, 3 x 3, on wide images", level = 1, id = 71 }
sizes { full = { B = 8, C = 32, H = 512, W = 1024 }, small = { B = 2, C = 16, H = 10, W = 20 } }
init(C, C, 3)

local x = input("x", f32, { B, C, H, W })
output("y", nn.conv_transpose2d("conv_transpose2d", C, C, { k = 3, bias = false })(x))
