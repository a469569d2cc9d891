problem { "Transposed convolution, mish, add, hardtanh, scale", level = 2, id = 16 }
sizes { full = { B = 128, I = 64, O = 64, W = 128 }, small = { B = 2, I = 16, O = 16, W = 12 } }
init(I, O, 3, 2, 1, 1, 0.5, 2)

local x = input("x", f32, { B, I, W, W })
local up = { k = 3, stride = 2, pad = 1, output_pad = 1 }
local y = mish(nn.conv_transpose2d("conv_transpose", I, O, up)(x))
output("y", hardtanh(y + 0.5, -1, 1) * 2)
