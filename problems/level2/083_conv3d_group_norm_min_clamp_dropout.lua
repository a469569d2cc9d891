problem { "Convolution, group norm, minimum with 0, clamp, dropout", level = 2, id = 83,
          repaired = "the clamp starts at -1, not at 0, where a minimum with 0 left nothing; the "
            .. "dropout mask is an input",
          foreign = "published candidates draw their mask: forward has no second argument" }
sizes { full = { B = 128, I = 3, O = 16, D = 16, W = 64, G = 8 },
        small = { B = 2, I = 3, O = 16, D = 5, W = 18, G = 8 } }
init(I, O, 3, G, -1.0, 1.0, 0.2)

-- No needles: they leave rows of one number, which the bias of a norm can cancel.
local x = input("x", f32, { B, I, D, W, W }, spread(), normal(), heavy())
local mask = input("mask", bool, { B, O, D - 2, W - 2, W - 2 }, bernoulli(0.8))
local y = nn.conv3d("conv", I, O, { k = 3 })(x)
y = clamp(minimum(nn.group_norm("norm", G, O)(y), 0), -1, 1)
output("y", where(mask, y / 0.8, 0))
