problem { "Convolution, 2-D, 3 x 3", level = 1, id = 63 }
sizes { full = { B = 16, C = 16, W = 1024, O = 128 }, small = { B = 2, C = 16, W = 20, O = 16 } }
init(C, O, 3)

local x = input("x", f32, { B, C, W, W })
output("y", nn.conv2d("conv2d", C, O, { k = 3, bias = false })(x))
