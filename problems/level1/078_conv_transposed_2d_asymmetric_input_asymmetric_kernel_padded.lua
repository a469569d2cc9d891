problem { "Transposed convolution, 2-D, 3 x 7, padded to the size of x", level = 1, id = 78 }
sizes { full = { B = 8, C = 32, H = 512, W = 1024 }, small = { B = 2, C = 16, H = 10, W = 20 } }
init(C, C, tuple(3, 7), tuple(1, 1), tuple(1, 3))

local x = input("x", f32, { B, C, H, W })
local conv = nn.conv_transpose2d("conv_transpose2d", C, C,
  { k = { 3, 7 }, pad = { 1, 3 }, bias = false })
output("y", conv(x))
