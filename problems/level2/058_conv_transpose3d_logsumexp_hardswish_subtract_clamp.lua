problem { "Transposed convolution, logsumexp, x sigmoid(x + 3) / 6, subtract, clamp",
          level = 2, id = 58,
          repaired = "inputs are large enough to move the logsumexp: it was log 16 to 0.15 %" }
sizes { full = { B = 128, I = 3, O = 16, D = 16, W = 32 },
        small = { B = 2, I = 3, O = 16, D = 3, W = 9 } }
init(I, O, 3, 2, 1, tuple(1, 1, 1, 1))

-- About ten products make an element of the convolution, of deviation 0.1 for normal inputs.
local x = input("x", f32, { B, I, D, W, W },
  spread { scale = 8 }, normal(0, 16), heavy { scale = 8 }, needle { scale = 32 })
local bias = param("bias", f32, { 1, 1, 1, 1 }, normal())
local y = nn.conv_transpose3d("conv_transpose", I, O, { k = 3, stride = 2, pad = 1 })(x)
y = logsumexp(y, { dim = 1, keep = true })
output("y", clamp(y * sigmoid(y + 3) / 6 - bias, -1, 1))
