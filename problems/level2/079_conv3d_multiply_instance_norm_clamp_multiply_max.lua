problem { "Convolution, multiplier, instance norm, clamp, multiplier, max over channels",
          level = 2, id = 79 }
sizes { full = { B = 128, I = 3, O = 16, D = 16, W = 32 },
        small = { B = 2, I = 3, O = 16, D = 5, W = 18 } }
init(I, O, 3, tuple(O, 1, 1, 1), -1.0, 1.0)

local x = input("x", f32, { B, I, D, W, W })
local multiplier = param("multiplier", f32, { O, 1, 1, 1 }, normal())
local y = nn.conv3d("conv", I, O, { k = 3 })(x) * multiplier
y = clamp(instance_norm(y), -1, 1) * multiplier
output("y", max(y, { dim = 1 }))
