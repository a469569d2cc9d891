problem { "Transposed 3-D convolution, mean over depth, bias, softmax, tanh, scale", level = 2,
          id = 13,
          repaired = "x is signed and wider: on U[0,1) the bias alone decided the softmax",
          algebra = "the mean over depth commutes with the convolution: 1/32 of its work is left" }
sizes { full = { B = 16, I = 16, O = 64, D = 32, W = 128 },
        small = { B = 1, I = 8, O = 16, D = 8, W = 16 } }
init(I, O, 3, 1, 1, 2.0)

local x = input("x", f32, { B, I, D, W, W }, spread { scale = 8 }, normal(4, 8),
  heavy { scale = 4 }, needle { scale = 16 })
local bias = param("bias", f32, { 1, O, 1, 1, 1 }, normal())
local y = nn.conv_transpose3d("conv_transpose", I, O, { k = 3, pad = 1 })(x)
y = mean(y, { dim = 2, keep = true }) + bias
output("y", tanh(softmax(y, { dim = 1 })) * 2)
