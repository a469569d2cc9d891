problem { "Transposed convolution, max pool twice, sum over channels", level = 2, id = 78 }
sizes { full = { B = 16, I = 32, O = 64, D = 32, H = 32, W = 32 },
        small = { B = 1, I = 2, O = 16, D = 4, H = 4, W = 49 } }
init(I, O, 5, 2, 2)

local x = input("x", f32, { B, I, D, H, W })
local y = nn.conv_transpose3d("conv_transpose", I, O, { k = 5, stride = 2, pad = 2 })(x)
y = max_pool(max_pool(y, { k = 2 }), { k = 3 })
output("y", sum(y, { dim = 1, keep = true }))
