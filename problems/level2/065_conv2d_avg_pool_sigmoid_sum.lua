problem { "Convolution, average pool, sigmoid, sum over all but the batch", level = 2, id = 65,
          repaired = "inputs are signed and large enough to bend the sigmoid: the sum was the same "
            .. "to 2e-6 for any input",
          algebra = "an average pool of 4 x 4 behind a 3 x 3 convolution is a 6 x 6 convolution "
            .. "with stride 4, a quarter of the products" }
sizes { full = { B = 128, I = 8, O = 64, W = 384 }, small = { B = 16, I = 8, O = 6, W = 18 } }
init(I, O, 3, 4)

-- The mean of 16 elements of the convolution has deviation 0.15 for normal inputs.
local x = input("x", f32, { B, I, W, W },
  spread { scale = 4 }, normal(0, 8), heavy { scale = 4 }, needle { scale = 16 })
local y = avg_pool(nn.conv2d("conv", I, O, { k = 3 })(x), { k = 4 })
output("y", sum(sigmoid(y), { dim = { 1, 2, 3 } }))
