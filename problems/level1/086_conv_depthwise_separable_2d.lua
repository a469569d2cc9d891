problem { "Depthwise separable convolution, 2-D: 3 x 3, then 1 x 1", level = 1, id = 86 }
sizes { full = { B = 16, C = 64, W = 512, O = 128 }, small = { B = 2, C = 32, W = 20, O = 48 } }
init(C, O, 3, 1, 1, 1)

local x = input("x", f32, { B, C, W, W })
local depthwise = nn.conv2d("depthwise", C, C, { k = 3, pad = 1, groups = C, bias = false })
local pointwise = nn.conv2d("pointwise", C, O, { k = 1, bias = false })
output("y", pointwise(depthwise(x)))
