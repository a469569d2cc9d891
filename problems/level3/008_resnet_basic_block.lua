problem { "ResNet's basic block, projected shortcut", level = 3, id = 8 }
sizes { full = { B = 10, S = 224, C = 64 }, small = { B = 2, S = 24, C = 16 } }
init(3, C, 1)

local conv_bn = lib "conv_bn" {}

local x = input("x", f32, { B, 3, S, S })
local y = relu(conv_bn("conv1", "bn1", 3, C, { k = 3 })(x))
y = conv_bn("conv2", "bn2", C, C, { k = 3 })(y)
output("y", relu(y + conv_bn("downsample.0", "downsample.1", 3, C, { k = 1 })(x)))
