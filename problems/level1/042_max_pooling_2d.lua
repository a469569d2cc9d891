problem { "Max pooling, 2-D, 4 x 4, padded", level = 1, id = 42,
          repaired = "inputs are signed: on U[0,1) padding with 0 looked like -inf" }
sizes { full = { B = 32, C = 64, W = 512 }, small = { B = 2, C = 8, W = 48 } }
init(4, 1, 1, 1)

local x = input("x", f32, { B, C, W, W })
output("y", max_pool(x, { k = 4, stride = 1, pad = 1 }))
