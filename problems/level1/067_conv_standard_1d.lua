problem { "Convolution, 1-D, 3", level = 1, id = 67 }
sizes { full = { B = 32, C = 64, L = 131072, O = 128 }, small = { B = 2, C = 32, L = 66, O = 32 } }
init(C, O, 3)

local x = input("x", f32, { B, C, L })
output("y", nn.conv1d("conv1d", C, O, { k = 3, bias = false })(x))
