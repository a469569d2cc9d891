problem { "Transposed convolution, 2-D, 3 x 5, on wide images", level = 1, id = 69 }
sizes { full = { B = 64, C = 64, H = 128, W = 256, O = 128 },
        small = { B = 2, C = 16, H = 10, W = 20, O = 16 } }
init(C, O, tuple(3, 5))

local x = input("x", f32, { B, C, H, W })
output("y", nn.conv_transpose2d("conv_transpose2d", C, O, { k = { 3, 5 }, bias = false })(x))
