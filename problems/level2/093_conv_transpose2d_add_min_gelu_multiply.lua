problem { "Transposed convolution, add, minimum with 0, GELU, multiply", level = 2, id = 93,
          repaired = "inputs are signed and large: all but two in a million outputs were 0" }
sizes { full = { B = 128, I = 64, O = 128, W = 64 }, small = { B = 2, I = 16, O = 16, W = 12 } }
init(I, O, 4, 2, 0.5, 2.0)

-- An element of the convolution has deviation 0.2 for normal inputs, and 0.5 is added to it.
local x = input("x", f32, { B, I, W, W },
  spread { scale = 2 }, normal(0, 4), heavy { scale = 2 }, needle { scale = 16 })
local y = nn.conv_transpose2d("conv_transpose", I, O, { k = 4, stride = 2 })(x)
output("y", gelu(minimum(y + 0.5, 0)) * 2)
