problem { "Transposed convolution, bias, clamp, scale, clamp, divide", level = 2, id = 2 }
sizes { full = { B = 128, I = 64, O = 64, W = 128 }, small = { B = 2, I = 16, O = 16, W = 12 } }
init(I, O, 3, 2, 1, 1, tuple(O, 1, 1), 2.0)

-- The clamps leave what is between 0 and 0.5. Rows stay near it: in one that is 0 but for a single
-- element, that element's own rounding would be the scale of the error.
local x = input("x", f32, { B, I, W, W }, spread { scale = 0.25 }, normal(), heavy(), needle())
local bias = param("bias", f32, { O, 1, 1 }, uniform(0, 0.5))
local up = { k = 3, stride = 2, pad = 1, output_pad = 1 }
local y = nn.conv_transpose2d("conv_transpose", I, O, up)(x) + bias
output("y", clamp(clamp(y, 0, 1) * 2, 0, 1) / 2)
