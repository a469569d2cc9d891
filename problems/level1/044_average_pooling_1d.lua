problem { "Average pooling, 1-D, 8, padded", level = 1, id = 44 }
sizes { full = { B = 64, C = 128, N = 65536 }, small = { B = 2, C = 16, N = 256 } }
init(8, 1, 4)

-- The padding counts: the divisor is 8 at the edges, too.
local x = input("x", f32, { B, C, N })
output("y", avg_pool(x, { k = 8, stride = 1, pad = 4 }))
