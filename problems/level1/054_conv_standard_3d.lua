problem { "Convolution, 3-D, 3 x 3 x 3", level = 1, id = 54 }
sizes { full = { B = 16, C = 3, W = 64, O = 64 }, small = { B = 2, C = 3, W = 18, O = 4 } }
init(C, O, 3)

local x = input("x", f32, { B, C, W, W, W })
output("y", nn.conv3d("conv3d", C, O, { k = 3, bias = false })(x))
