problem { "Transposed convolution, 1-D, 3, padded, strided, dilated", level = 1, id = 79 }
sizes { full = { B = 16, C = 32, L = 131072, O = 64 }, small = { B = 2, C = 16, L = 40, O = 32 } }
init(C, O, 3, 2, 1, 2)

-- Stride and dilation are even and the padding is odd: every second element of y is zero.
local x = input("x", f32, { B, C, L })
local conv = nn.conv_transpose1d("conv1d_transpose", C, O,
  { k = 3, stride = 2, pad = 1, dilation = 2, bias = false })
output("y", conv(x))
