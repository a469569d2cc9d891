problem { "Convolution, 2-D, 5 x 7, on tall images", level = 1, id = 56 }
sizes { full = { B = 8, C = 64, H = 512, W = 256, O = 128 },
        small = { B = 2, C = 8, H = 24, W = 22, O = 16 } }
init(C, O, tuple(5, 7))

local x = input("x", f32, { B, C, H, W })
output("y", nn.conv2d("conv2d", C, O, { k = { 5, 7 }, bias = false })(x))
