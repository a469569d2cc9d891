problem { "Average pooling, 2-D, 11 x 11", level = 1, id = 45 }
sizes { full = { B = 16, C = 64, W = 2048 }, small = { B = 1, C = 2, W = 180 } }
init(11)

local x = input("x", f32, { B, C, W, W })
output("y", avg_pool(x, { k = 11 }))
