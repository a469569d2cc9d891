problem { "Transposed 3-D convolution, softmax over channels, sigmoid", level = 2, id = 49,
          repaired = "x is signed and wider: on U[0,1) every output was 0.504 +- 3e-4" }
sizes { full = { B = 16, I = 32, O = 64, D = 16, W = 32 },
        small = { B = 1, I = 8, O = 16, D = 4, W = 10 } }
init(I, O, 3, 2, 1, 1)

-- The convolution makes a deviation of about a seventh of x's.
local x = input("x", f32, { B, I, D, W, W }, spread { scale = 8 }, normal(0, 8),
  heavy { scale = 8 }, needle { scale = 16 })
local up = { k = 3, stride = 2, pad = 1, output_pad = 1 }
local y = nn.conv_transpose3d("conv_transpose", I, O, up)(x)
output("y", sigmoid(softmax(y, { dim = 1 })))
