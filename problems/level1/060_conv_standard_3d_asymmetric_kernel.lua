problem { "Convolution, 3-D, 3 x 5 x 7", level = 1, id = 60 }
sizes { full = { B = 16, C = 3, W = 64, O = 64 }, small = { B = 1, C = 3, W = 22, O = 4 } }
init(C, O, tuple(3, 5, 7))

local x = input("x", f32, { B, C, W, W, W })
output("y", nn.conv3d("conv3d", C, O, { k = { 3, 5, 7 }, bias = false })(x))
