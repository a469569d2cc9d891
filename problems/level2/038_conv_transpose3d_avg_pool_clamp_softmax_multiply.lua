problem { "Average pool, transposed 3-D convolution, clamp, softmax over space, scale", level = 2,
          id = 38,
          repaired = "the scale is random, x signed and wider: ones did nothing, zeros passed" }
sizes { full = { B = 32, I = 32, O = 64, D = 32, W = 64 },
        small = { B = 2, I = 8, O = 8, D = 4, W = 16 } }
init(I, O, 3, 2, 1, 1, 2, 0.0, 1.0)

local x = input("x", f32, { B, I, D, W, W }, spread { scale = 4 }, normal(0, 4),
  heavy { scale = 4 }, needle { scale = 4 })
local scale = param("scale", f32, { 1, O, 1, 1, 1 }, normal(1, 0.25))
local up = { k = 3, stride = 2, pad = 1, output_pad = 1 }
local y = clamp(nn.conv_transpose3d("conv_transpose", I, O, up)(avg_pool(x, { k = 2 })), 0, 1)
y = reshape(softmax(reshape(y, { B, O, -1 }), { dim = 2 }), y.shape)
output("y", y * scale)
