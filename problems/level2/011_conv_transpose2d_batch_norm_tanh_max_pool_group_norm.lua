problem { "Transposed convolution, batch norm, tanh, max pool, group norm", level = 2, id = 11,
          repaired = "norm weights and biases are random: ones and zeros could be left out" }
sizes { full = { B = 512, I = 64, O = 128, W = 32, G = 8 },
        small = { B = 2, I = 8, O = 16, W = 30, G = 8 } }
init(I, O, 5, 1, 1, G, G)

local x = input("x", f32, { B, I, W, W })
local y = nn.conv_transpose2d("conv_transpose", I, O, { k = 5, pad = 1 })(x)
y = tanh(nn.batch_norm("batch_norm", O)(y))
y = max_pool(y, { k = 2 })
output("y", nn.group_norm("group_norm", G, O)(y))
