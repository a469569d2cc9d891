problem { "Transposed convolution, 2-D, 3 x 3, dilated, padded, strided", level = 1, id = 81 }
sizes { full = { B = 16, C = 32, H = 64, W = 128, O = 64 },
        small = { B = 2, C = 16, H = 5, W = 8, O = 32 } }
init(C, O, 3, 5, 1, 2)

-- Windows 5 apart with taps 2 apart leave 64 % of y zero.
local x = input("x", f32, { B, C, H, W })
local conv = nn.conv_transpose2d("conv_transpose2d", C, O,
  { k = 3, stride = 5, pad = 1, dilation = 2, bias = false })
output("y", conv(x))
