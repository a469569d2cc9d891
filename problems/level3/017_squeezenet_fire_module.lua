problem { "SqueezeNet's fire module", level = 3, id = 17 }
sizes { full = { B = 128, S = 256, C = 64 }, small = { B = 2, S = 24, C = 16 } }

local x = input("x", f32, { B, 3, S, S })
local squeezed = relu(nn.conv2d("squeeze", 3, 6, { k = 1 })(x))
local one = relu(nn.conv2d("expand1x1", 6, C, { k = 1 })(squeezed))
local three = relu(nn.conv2d("expand3x3", 6, C, { k = 3, pad = 1 })(squeezed))
output("y", concat({ one, three }, { dim = 1 }))
