problem { "Transposed convolution, 3-D, 3 x 5 x 7", level = 1, id = 58 }
sizes { full = { B = 16, C = 32, D = 16, H = 32, W = 64, O = 16 },
        medium = { B = 3, C = 8, D = 3, H = 6, W = 14, O = 4 },
        small = { B = 2, C = 8, D = 3, H = 6, W = 14, O = 4 } }
init(C, O, tuple(3, 5, 7))

local x = input("x", f32, { B, C, D, H, W })
output("y", nn.conv_transpose3d("conv_transpose3d", C, O, { k = { 3, 5, 7 }, bias = false })(x))
