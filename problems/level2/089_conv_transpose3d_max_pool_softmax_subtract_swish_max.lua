problem { "Transposed convolution, max pool, softmax, subtract, swish, max over channels",
          level = 2, id = 89,
          repaired = "inputs are large and the subtracted numbers small: the softmax was 1/16, and "
            .. "one number decided the maximum for any input" }
sizes { full = { B = 128, I = 3, O = 16, D = 16, W = 32 },
        small = { B = 2, I = 3, O = 16, D = 2, W = 16 } }
init(I, O, 3, 2, 1, 1, 2, 2, 0)

-- About ten products make an element of the convolution, of deviation 0.1 for normal inputs.
local x = input("x", f32, { B, I, D, W, W },
  spread { scale = 8 }, normal(0, 16), heavy { scale = 8 }, needle { scale = 32 })
local subtract = param("subtract", f32, { O }, normal(0, 0.1))
local y = nn.conv_transpose3d("conv_transpose", I, O,
  { k = 3, stride = 2, pad = 1, output_pad = 1 })(x)
y = softmax(max_pool(y, { k = 2 }), { dim = 1 })
output("y", max(swish(y - reshape(subtract, { 1, O, 1, 1, 1 })), { dim = 1 }))
