problem { "Convolution, 3-D, 3 x 3 x 1: ten images side by side", level = 1, id = 59 }
sizes { full = { B = 16, C = 3, W = 256, D = 10, O = 64 },
        small = { B = 2, C = 3, W = 12, D = 10, O = 8 } }
init(C, O, 3)

local x = input("x", f32, { B, C, W, W, D })
output("y", nn.conv3d("conv3d", C, O, { k = { 3, 3, 1 }, bias = false })(x))
