problem { "Transposed convolution, max pool, hardtanh, mean over space, tanh", level = 2, id = 10,
          repaired = "rows have their own location and scale: on U[0,1) a channel was constant" }
sizes { full = { B = 128, I = 64, O = 64, W = 256 }, small = { B = 4, I = 16, O = 16, W = 16 } }
init(I, O, 3, 1, 1, 2, 2, -1, 1)

-- Where the mean is not 0, rounded weights show in the average; rounded inputs cancel there.
local x = input("x", f32, { B, I, W, W }, spread(), normal(1, 1), heavy(), needle())
local y = nn.conv_transpose2d("conv_transpose", I, O, { k = 3, pad = 1 })(x)
y = hardtanh(max_pool(y, { k = 2 }), -1, 1)
output("y", tanh(mean(y, { dim = { 2, 3 }, keep = true })))
