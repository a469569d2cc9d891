problem { "Transposed convolution, 3-D, 3 x 3 x 3", level = 1, id = 61 }
sizes { full = { B = 8, C = 48, W = 64 }, small = { B = 1, C = 8, W = 14 } }
init(C, C, 3)

local x = input("x", f32, { B, C, W, W, W })
output("y", nn.conv_transpose3d("conv_transpose3d", C, C, { k = 3, bias = false })(x))
