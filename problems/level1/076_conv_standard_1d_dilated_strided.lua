problem { "Convolution, 1-D, 3, dilated, strided", level = 1, id = 76 }
sizes { full = { B = 64, C = 64, L = 524280, O = 128 }, small = { B = 2, C = 32, L = 120, O = 32 } }
init(C, O, 3, 3, 4)

local x = input("x", f32, { B, C, L })
output("y", nn.conv1d("conv1d", C, O, { k = 3, stride = 3, dilation = 4, bias = false })(x))
