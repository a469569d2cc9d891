problem { "Convolution, group norm, scale per channel, max pool, clamp", level = 2, id = 85,
          repaired = "the scale and the norm's weights and biases are random: ones and zeros could "
            .. "be left out" }
sizes { full = { B = 128, I = 8, O = 64, H = 128, W = 128, G = 16 },
        small = { B = 2, I = 4, O = 32, H = 18, W = 66, G = 16 } }
init(I, O, 3, G, tuple(O, 1, 1), 4, 0.0, 1.0)

-- No needles: they leave rows of one number, which the bias of a norm can cancel.
local x = input("x", f32, { B, I, H, W }, spread(), normal(), heavy())
local scale = param("scale", f32, { O, 1, 1 }, normal())
local y = nn.conv2d("conv", I, O, { k = 3 })(x)
y = nn.group_norm("group_norm", G, O)(y) * scale
output("y", clamp(max_pool(y, { k = 4 }), 0, 1))
