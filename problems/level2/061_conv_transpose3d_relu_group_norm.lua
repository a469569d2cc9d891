problem { "Transposed convolution, ReLU, group norm", level = 2, id = 61,
          repaired = "norm weights and biases are random: ones and zeros could be left out" }
sizes { full = { B = 16, I = 64, O = 128, D = 32, H = 32, W = 32, G = 8 },
        small = { B = 2, I = 8, O = 16, D = 2, H = 3, W = 14, G = 8 } }
init(I, O, 3, G, false)

-- Rows with a location or needles leave rows of zeros, which the bias of the norm can cancel.
local x = input("x", f32, { B, I, D, H, W }, normal(), heavy())
local y = relu(nn.conv_transpose3d("conv_transpose", I, O, { k = 3, bias = false })(x))
output("y", nn.group_norm("group_norm", G, O)(y))
