problem { "Transposed convolution, softmax, bias, scale, sigmoid", level = 2, id = 91,
          repaired = "inputs are large enough for the softmax to choose: it was 1/128, and the "
            .. "answer a function of the bias" }
sizes { full = { B = 128, I = 64, O = 128, W = 64 }, small = { B = 2, I = 16, O = 32, W = 12 } }
init(I, O, 4, 2, 1, 1, tuple(O, 1, 1), 2.0)

-- An element of the convolution has deviation 0.2 for normal inputs.
local x = input("x", f32, { B, I, W, W },
  spread { scale = 4 }, normal(0, 8), heavy { scale = 4 }, needle { scale = 32 })
local bias = param("bias", f32, { O, 1, 1 }, normal())
local y = nn.conv_transpose2d("conv_transpose", I, O,
  { k = 4, stride = 2, pad = 1, output_pad = 1 })(x)
output("y", sigmoid((softmax(y, { dim = 1 }) + bias) * 2))
