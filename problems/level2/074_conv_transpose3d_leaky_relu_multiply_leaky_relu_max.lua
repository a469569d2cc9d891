problem { "Transposed convolution, leaky ReLU, multiplier per channel, leaky ReLU, max pool",
          level = 2, id = 74 }
sizes { full = { B = 16, I = 16, O = 32, D = 16, W = 32 },
        small = { B = 1, I = 8, O = 8, D = 3, W = 16 } }
init(I, O, 3, 2, 1, 1, tuple(O, 1, 1, 1))

local x = input("x", f32, { B, I, D, W, W })
local multiplier = param("multiplier", f32, { O, 1, 1, 1 }, normal())
local y = nn.conv_transpose3d("conv_transpose", I, O,
  { k = 3, stride = 2, pad = 1, output_pad = 1 })(x)
y = leaky_relu(leaky_relu(y, 0.2) * multiplier, 0.2)
output("y", max_pool(y, { k = 2 }))
