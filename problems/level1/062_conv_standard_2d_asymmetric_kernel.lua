problem { "Convolution, 2-D, 5 x 9", level = 1, id = 62 }
sizes { full = { B = 8, C = 32, W = 512, O = 64 }, small = { B = 2, C = 8, W = 24, O = 8 } }
init(C, O, tuple(5, 9))

local x = input("x", f32, { B, C, W, W })
output("y", nn.conv2d("conv2d", C, O, { k = { 5, 9 }, bias = false })(x))
