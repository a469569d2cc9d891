problem { "3-D convolution, divide, max pool, global average, bias, sum over channels", level = 2,
          id = 8,
          repaired = "rows have their own location and scale: on U[0,1) the answer was constant" }
sizes { full = { B = 128, I = 8, O = 16, D = 16, W = 64 },
        small = { B = 16, I = 4, O = 8, D = 4, W = 10 } }
init(I, O, tuple(3, 3, 3), 2.0, tuple(2, 2, 2), tuple(O, 1, 1, 1), 1)

-- Where the mean is not 0, rounded weights show in the average; rounded inputs cancel there.
local x = input("x", f32, { B, I, D, W, W }, spread(), normal(8, 2), heavy(), needle())
local bias = param("bias", f32, { O, 1, 1, 1 }, normal())
local y = nn.conv3d("conv", I, O, { k = 3 })(x) / 2
y = adaptive_avg_pool(max_pool(y, { k = 2 })) + bias
output("y", sum(y, { dim = 1 }))
