problem { "Transposed convolution, 2-D, 3 x 7", level = 1, id = 65 }
sizes { full = { B = 8, C = 64, W = 512 }, small = { B = 2, C = 8, W = 20 } }
init(C, C, tuple(3, 7))

local x = input("x", f32, { B, C, W, W })
output("y", nn.conv_transpose2d("conv_transpose2d", C, C, { k = { 3, 7 }, bias = false })(x))
