problem { "Transposed convolution, clamp from below, divide", level = 2, id = 100 }
sizes { full = { B = 16, I = 64, O = 128, D = 24, W = 48 },
        small = { B = 2, I = 16, O = 8, D = 3, W = 9 } }
init(I, O, 3, 2, 1, -1.0, 2.0)

local x = input("x", f32, { B, I, D, W, W })
local y = nn.conv_transpose3d("conv_transpose", I, O, { k = 3, stride = 2, pad = 1 })(x)
output("y", clamp(y, -1) / 2)
