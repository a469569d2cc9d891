problem { "Transposed convolution, mean over space, bias, logsumexp, sum, multiply", level = 2,
          id = 42,
          repaired = "x is wider and its mean not 0: on U[0,1) the answer was constant to 1e-5",
          algebra = "the mean over space needs the sums of x, corrected at the borders, only" }
sizes { full = { B = 16, I = 64, O = 128, W = 512 }, small = { B = 16, I = 8, O = 16, W = 12 } }
init(I, O, 3, tuple(O, 1, 1))

local x = input("x", f32, { B, I, W, W }, spread { scale = 16 }, normal(16, 8),
  heavy { scale = 16 }, needle { scale = 64 })
tolerance { rms = 8, max = 16, why = "the mean over space averages Winograd's error out" }
local bias = param("bias", f32, { O, 1, 1 }, normal())
local y = nn.conv_transpose2d("conv_transpose", I, O, { k = 3 })(x)
y = mean(y, { dim = { 2, 3 }, keep = true }) + bias
output("y", sum(logsumexp(y, { dim = 1, keep = true }), { dim = { 2, 3 } }) * 10)
