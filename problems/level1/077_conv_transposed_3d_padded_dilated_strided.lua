problem { "Transposed convolution, 3-D, 3 x 3 x 3, padded, dilated, strided", level = 1, id = 77 }
sizes { full = { B = 16, C = 32, D = 16, W = 32, O = 64 },
        small = { B = 1, C = 16, D = 4, W = 10, O = 8 } }
init(C, O, 3, 2, 1, 2)

-- Stride and dilation are even and the padding is odd: y is zero but where all indices are odd.
local x = input("x", f32, { B, C, D, W, W })
local conv = nn.conv_transpose3d("conv_transpose3d", C, O,
  { k = 3, stride = 2, pad = 1, dilation = 2, bias = false })
output("y", conv(x))
