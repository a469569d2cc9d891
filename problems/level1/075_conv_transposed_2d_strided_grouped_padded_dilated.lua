problem { "Transposed convolution, 2-D, strided, grouped, padded, dilated", level = 1, id = 75 }
sizes { full = { B = 16, C = 32, H = 128, W = 256, O = 64 },
        small = { B = 2, C = 16, H = 8, W = 12, O = 32 } }
init(C, O, tuple(3, 5), tuple(2, 3), tuple(1, 2), tuple(2, 1), 4)

-- Stride and dilation are even over H and the padding is odd: even rows of y are zero.
local x = input("x", f32, { B, C, H, W })
local conv = nn.conv_transpose2d("conv_transpose2d", C, O, { k = { 3, 5 }, stride = { 2, 3 },
  pad = { 1, 2 }, dilation = { 2, 1 }, groups = 4, bias = false })
output("y", conv(x))
