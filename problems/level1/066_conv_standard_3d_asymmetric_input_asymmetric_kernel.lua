problem { "Convolution, 3-D, 3 x 5 x 7, on flat volumes", level = 1, id = 66 }
sizes { full = { B = 8, C = 3, D = 16, W = 128, O = 64 },
        small = { B = 2, C = 3, D = 5, W = 22, O = 4 } }
init(C, O, tuple(3, 5, 7))

local x = input("x", f32, { B, C, D, W, W })
output("y", nn.conv3d("conv3d", C, O, { k = { 3, 5, 7 }, bias = false })(x))
