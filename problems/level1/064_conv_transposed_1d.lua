problem { "Transposed convolution, 1-D, 3", level = 1, id = 64 }
sizes { full = { B = 64, C = 128, L = 65536 }, small = { B = 2, C = 32, L = 62 } }
init(C, C, 3)

local x = input("x", f32, { B, C, L })
output("y", nn.conv_transpose1d("conv1d_transpose", C, C, { k = 3, bias = false })(x))
