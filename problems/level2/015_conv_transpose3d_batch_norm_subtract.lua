problem { "Transposed 3-D convolution, batch norm, subtract the mean over space", level = 2,
          id = 15,
          repaired = "norm weights and biases are random: ones and zeros could be left out" }
sizes { full = { B = 16, I = 16, O = 32, D = 16, W = 32 },
        small = { B = 2, I = 8, O = 8, D = 4, W = 9 } }
init(I, O, 3, 2, 1)

local x = input("x", f32, { B, I, D, W, W })
local y = nn.conv_transpose3d("conv_transpose", I, O, { k = 3, stride = 2, pad = 1 })(x)
y = nn.batch_norm("batch_norm", O)(y)
output("y", y - mean(y, { dim = { 2, 3, 4 }, keep = true }))
