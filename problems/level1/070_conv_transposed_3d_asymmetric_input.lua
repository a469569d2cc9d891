problem { "Transposed convolution, 3-D, 3 x 3 x 3, to half the channels", level = 1, id = 70 }
sizes { full = { B = 8, C = 48, W = 96, O = 24 }, small = { B = 1, C = 8, W = 14, O = 4 } }
init(C, O, 3)

local x = input("x", f32, { B, C, W, W, W })
output("y", nn.conv_transpose3d("conv_transpose3d", C, O, { k = 3, bias = false })(x))
