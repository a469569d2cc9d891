problem { "Transposed convolution, 1-D, 5, dilated", level = 1, id = 74 }
sizes { full = { B = 32, C = 32, L = 131072, O = 64 }, small = { B = 2, C = 16, L = 60, O = 32 } }
init(C, O, 5, 1, 0, 3)

local x = input("x", f32, { B, C, L })
output("y", nn.conv_transpose1d("conv1d_transpose", C, O, { k = 5, dilation = 3, bias = false })(x))
