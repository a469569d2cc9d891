problem { "Convolution, batch norm, scale", level = 2, id = 73,
          repaired = "norm weights and biases are random: ones and zeros could be left out" }
sizes { full = { B = 128, I = 8, O = 64, W = 128 }, small = { B = 2, I = 8, O = 16, W = 26 } }
init(I, O, 3, 2.0)

-- No needles: they leave rows of one number, which the bias of a norm can cancel.
local x = input("x", f32, { B, I, W, W }, spread(), normal(), heavy())
local y = nn.conv2d("conv", I, O, { k = 3 })(x)
output("y", nn.batch_norm("bn", O)(y) * 2)
