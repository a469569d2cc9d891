problem { "Convolution, group norm, tanh, hardswish, residual, logsumexp over channels",
          level = 2, id = 92,
          repaired = "norm weights and biases are random: ones and zeros could be left out" }
sizes { full = { B = 128, I = 8, O = 64, W = 128, G = 16 },
        small = { B = 2, I = 8, O = 32, W = 20, G = 16 } }
init(I, O, 3, G)

local x = input("x", f32, { B, I, W, W })
local h = nn.conv2d("conv", I, O, { k = 3 })(x)
local y = hardswish(tanh(nn.group_norm("group_norm", G, O)(h)))
output("y", logsumexp(h + y, { dim = 1, keep = true }))
