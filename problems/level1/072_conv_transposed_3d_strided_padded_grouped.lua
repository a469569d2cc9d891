problem { "Transposed convolution, 3-D, 3 x 5 x 7, strided, padded, grouped", level = 1, id = 72 }
sizes { full = { B = 8, C = 32, D = 12, H = 24, W = 48 },
        small = { B = 1, C = 16, D = 3, H = 5, W = 10 } }
init(C, C, tuple(3, 5, 7), tuple(2, 2, 2), tuple(1, 2, 3), tuple(1, 1, 1), 4)

local x = input("x", f32, { B, C, D, H, W })
local conv = nn.conv_transpose3d("conv_transpose3d", C, C, { k = { 3, 5, 7 }, stride = 2,
  pad = { 1, 2, 3 }, output_pad = 1, groups = 4, bias = false })
output("y", conv(x))
