problem { "3-D convolution, max pool, logsumexp over channels, ReLU", level = 2, id = 43,
          repaired = "rows have their own location and scale: on U[0,1) the answer was constant" }
sizes { full = { B = 4, I = 32, O = 64, D = 32, W = 128 },
        small = { B = 1, I = 4, O = 16, D = 4, W = 32 } }
init(I, O, 3, 1, 1)

local x = input("x", f32, { B, I, D, W, W })
local y = max_pool(nn.conv3d("conv", I, O, { k = 3, pad = 1 })(x), { k = 2 })
output("y", relu(logsumexp(y, { dim = 1, keep = true })))
