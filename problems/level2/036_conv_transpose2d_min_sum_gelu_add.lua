problem { "Transposed convolution, minimum over channels, sum over height, GELU, bias", level = 2,
          id = 36,
          repaired = "weights are smaller by the rows summed: GELU was 0 so far below 0" }
sizes { full = { B = 16, I = 64, O = 128, W = 128 }, small = { B = 2, I = 8, O = 16, W = 16 } }
init(I, O, 3, 2, 1, 1, tuple(1, 1, 1))

local x = input("x", f32, { B, I, W, W })
local bias = param("bias", f32, { 1, 1, 1 }, normal(0, 0.25)) -- of the size of what it joins
local bound = 1 / sqrt(9 * O) / (2 * W)
local w = param("conv_transpose.weight", f32, { I, O, 3, 3 }, uniform(-bound, bound))
local b = param("conv_transpose.bias", f32, { O }, uniform(-bound, bound))
local y = conv_transpose2d(x, w, b, { stride = 2, pad = 1, output_pad = 1 })
y = sum(min(y, { dim = 1, keep = true }), { dim = 2, keep = true })
output("y", gelu(y) + bias)
