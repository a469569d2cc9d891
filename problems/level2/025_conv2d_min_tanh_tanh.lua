problem { "Convolution, minimum over channels, tanh, tanh", level = 2, id = 25 }
sizes { full = { B = 128, I = 16, O = 64, W = 256 }, small = { B = 2, I = 8, O = 16, W = 20 } }
init(I, O, 3)

local x = input("x", f32, { B, I, W, W })
local y = min(nn.conv2d("conv", I, O, { k = 3 })(x), { dim = 1, keep = true })
output("y", tanh(tanh(y)))
