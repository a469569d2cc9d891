problem { "Average pooling, 3-D, 3 x 3 x 3, strided, padded", level = 1, id = 46 }
sizes { full = { B = 16, C = 32, D = 128, H = 128, W = 256 },
        small = { B = 2, C = 3, D = 9, H = 10, W = 36 } }
init(3, 2, 1)

-- The padding counts: the divisor is 27 at the edges, too.
local x = input("x", f32, { B, C, D, H, W })
output("y", avg_pool(x, { k = 3, stride = 2, pad = 1 }))
