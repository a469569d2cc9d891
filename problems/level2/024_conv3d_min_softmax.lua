problem { "3-D convolution, minimum over depth, softmax over channels", level = 2, id = 24 }
sizes { full = { B = 128, I = 3, O = 24, D = 24, W = 32 },
        small = { B = 1, I = 3, O = 24, D = 10, W = 18 } }
init(I, O, 3, 2)

local x = input("x", f32, { B, I, D, W, W })
local y = min(nn.conv3d("conv", I, O, { k = 3 })(x), { dim = 2 })
output("y", softmax(y, { dim = 1 }))
