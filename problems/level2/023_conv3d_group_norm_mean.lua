problem { "3-D convolution, group norm, mean of everything", level = 2, id = 23,
          repaired = "norm weights and biases are random: with ones and zeros the mean was 0" }
sizes { full = { B = 128, I = 3, O = 24, D = 24, W = 32 },
        small = { B = 16, I = 3, O = 24, D = 4, W = 10 } }
init(I, O, 3, 8)

-- The mean keeps how the channels of a group differ: much, where x has a mean and the weights
-- either sign.
local x = input("x", f32, { B, I, D, W, W }, spread(), normal(4, 1), heavy(), needle())
local y = nn.conv3d("conv", I, O, { k = 3 })(x)
local weight = param("group_norm.weight", f32, { O }, normal())
local bias = param("group_norm.bias", f32, { O }, normal(0, 0.25))
output("y", mean(group_norm(y, 8, weight, bias), { dim = { 1, 2, 3, 4 } }))
