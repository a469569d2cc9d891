problem { "Transposed convolution, 3-D, 3 x 5 x 5", level = 1, id = 68 }
sizes { full = { B = 16, C = 32, W = 64, O = 64 }, small = { B = 1, C = 4, W = 12, O = 8 } }
init(C, O, tuple(3, 5, 5))

local x = input("x", f32, { B, C, W, W, W })
output("y", nn.conv_transpose3d("conv_transpose3d", C, O, { k = { 3, 5, 5 }, bias = false })(x))
