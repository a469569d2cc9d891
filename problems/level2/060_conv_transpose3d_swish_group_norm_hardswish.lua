problem { "Transposed convolution, swish, group norm, hardswish", level = 2, id = 60,
          repaired = "norm weights and biases are random: ones and zeros could be left out" }
sizes { full = { B = 128, I = 3, O = 16, D = 16, W = 32, G = 4 },
        small = { B = 2, I = 3, O = 16, D = 3, W = 9, G = 4 } }
init(I, O, 3, 2, 1, G, 1e-05)

-- No needles: they leave rows of one number, which the bias of a norm can cancel.
local x = input("x", f32, { B, I, D, W, W }, spread(), normal(), heavy())
local y = nn.conv_transpose3d("conv_transpose", I, O, { k = 3, stride = 2, pad = 1 })(x)
y = nn.group_norm("group_norm", G, O)(swish(y))
output("y", hardswish(y))
