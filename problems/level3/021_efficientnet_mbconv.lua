problem { "EfficientNet's MBConv: expand, depthwise 5 x 5, project", level = 3, id = 21 }
sizes { full = { B = 10, I = 112, O = 192, S = 224 }, small = { B = 2, I = 16, O = 24, S = 32 } }
init(I, O, 5, 2, 6)

local conv_bn, mbconv = lib "conv_bn" {}, lib "mbconv"
local x = input("x", f32, { B, I, S, S })
output("y", mbconv(conv_bn, "", x, O, 5, 2, 6))
