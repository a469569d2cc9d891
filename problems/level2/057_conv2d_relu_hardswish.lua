problem { "Convolution, ReLU, hardswish spelled out", level = 2, id = 57 }
sizes { full = { B = 128, I = 8, O = 64, W = 128 }, small = { B = 2, I = 8, O = 16, W = 26 } }
init(I, O, 3)

local x = input("x", f32, { B, I, W, W })
local y = relu(nn.conv2d("conv", I, O, { k = 3 })(x))
output("y", y * clamp((y + 3) / 6, 0, 1))
