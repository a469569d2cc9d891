problem { "Transposed 3-D convolution, bias, residual, multiply, residual", level = 2, id = 20 }
sizes { full = { B = 16, I = 32, O = 64, D = 16, W = 32 },
        small = { B = 1, I = 16, O = 8, D = 4, W = 10 } }
init(I, O, 3, 2, 1, 1, tuple(O, 1, 1, 1))

local x = input("x", f32, { B, I, D, W, W })
local bias = param("bias", f32, { O, 1, 1, 1 }, normal())
local up = { k = 3, stride = 2, pad = 1, output_pad = 1 }
local y = nn.conv_transpose3d("conv_transpose", I, O, up)(x)
output("y", (y + bias + y) * y + y)
