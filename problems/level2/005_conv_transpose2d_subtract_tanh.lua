problem { "Transposed convolution, subtract bias, tanh", level = 2, id = 5 }
sizes { full = { B = 32, I = 64, O = 64, W = 256 }, small = { B = 2, I = 16, O = 16, W = 10 } }
init(I, O, 4, tuple(O, 1, 1))

local x = input("x", f32, { B, I, W, W })
local bias = param("bias", f32, { O, 1, 1 }, normal())
local up = { k = 4, stride = 2, pad = 1, output_pad = 1 }
output("y", tanh(nn.conv_transpose2d("conv_transpose", I, O, up)(x) - bias))
