problem { "Transposed convolution, 2-D, 3 x 3", level = 1, id = 57 }
sizes { full = { B = 8, C = 64, W = 1024 }, small = { B = 2, C = 16, W = 18 } }
init(C, C, 3)

local x = input("x", f32, { B, C, W, W })
output("y", nn.conv_transpose2d("conv_transpose2d", C, C, { k = 3, bias = false })(x))
