problem { "3-D convolution, hardswish, group norm, mean over space", level = 2, id = 27,
          repaired = "scaled rows, random norm weights: on U[0,1) a channel's mean was constant" }
sizes { full = { B = 1024, I = 3, O = 16, D = 16, W = 32 },
        small = { B = 4, I = 3, O = 16, D = 6, W = 12 } }
init(I, O, 4)

-- Where the mean is not 0, rounded weights show in the average; rounded inputs cancel there.
local x = input("x", f32, { B, I, D, W, W }, spread(), normal(1, 1), heavy(), needle())
local y = hardswish(nn.conv3d("conv", I, O, { k = 4 })(x))
output("y", mean(nn.group_norm("group_norm", 4, O)(y), { dim = { 2, 3, 4 } }))
