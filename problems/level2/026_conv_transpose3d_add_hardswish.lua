problem { "Transposed 3-D convolution, add an input, times its hardswish", level = 2, id = 26 }
sizes { full = { B = 128, I = 32, O = 64, W = 16 }, small = { B = 1, I = 8, O = 8, W = 8 } }
init(I, O, 3, 2, 1, 1, tuple(O, 1, 1, 1, 1))

local x = input("x", f32, { B, I, W, W, W })
local add_input = input("add_input", f32, { B, O, 2 * W, 2 * W, 2 * W })
param("bias", f32, { O, 1, 1, 1, 1 }, normal()) -- nobody uses it, as published
local up = { k = 3, stride = 2, pad = 1, output_pad = 1 }
local y = nn.conv_transpose3d("conv_transpose", I, O, up)(x) + add_input
output("y", y * hardswish(y))
