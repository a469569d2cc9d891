problem { "3-D convolution, softmax over channels, two max pools", level = 2, id = 6 }
sizes { full = { B = 128, I = 3, O = 16, D = 16, H = 32, W = 32 },
        small = { B = 2, I = 3, O = 16, D = 6, H = 6, W = 66 } }
init(I, O, 3, 2)

local x = input("x", f32, { B, I, D, H, W })
local y = softmax(nn.conv3d("conv", I, O, { k = 3 })(x), { dim = 1 })
output("y", max_pool(max_pool(y, { k = 2 }), { k = 2 }))
