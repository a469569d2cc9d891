problem { "Max pooling, 1-D, 8, dilated, padded", level = 1, id = 41 }
sizes { full = { B = 64, C = 192, N = 65536 }, small = { B = 2, C = 16, N = 256 } }
init(8, 1, 4, 3, false)

local x = input("x", f32, { B, C, N })
output("y", max_pool(x, { k = 8, stride = 1, pad = 4, dilation = 3 }))
