problem { "Convolution, 2-D, 3 x 3, on wide images", level = 1, id = 55 }
sizes { full = { B = 8, C = 64, H = 512, W = 1024, O = 128 },
        small = { B = 2, C = 16, H = 12, W = 26, O = 16 } }
init(C, O, 3)

local x = input("x", f32, { B, C, H, W })
output("y", nn.conv2d("conv2d", C, O, { k = 3, bias = false })(x))
