problem { "Convolution, 2-D, 5 x 9, dilated, padded", level = 1, id = 80 }
sizes { full = { B = 8, C = 32, W = 512, O = 64 }, small = { B = 2, C = 8, W = 32, O = 8 } }
init(C, O, tuple(5, 9), 1, tuple(2, 4), tuple(2, 3))

local x = input("x", f32, { B, C, W, W })
local conv = nn.conv2d("conv2d", C, O,
  { k = { 5, 9 }, pad = { 2, 4 }, dilation = { 2, 3 }, bias = false })
output("y", conv(x))
