problem { "Max pooling, 3-D, 3 x 3 x 3, strided, dilated, padded", level = 1, id = 43 }
sizes { full = { B = 16, C = 32, D = 128, H = 128, W = 128 },
        small = { B = 2, C = 3, D = 12, H = 14, W = 40 } }
init(3, 2, 1, 3)

local x = input("x", f32, { B, C, D, H, W })
output("y", max_pool(x, { k = 3, stride = 2, pad = 1, dilation = 3 }))
