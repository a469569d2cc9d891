problem { "Batch norm, batch statistics", level = 1, id = 33,
          repaired = "scaled rows, random weight and bias: the moments of U[0,1) were known" }
sizes { full = { B = 64, C = 64, W = 512 }, small = { B = 4, C = 8, W = 24 } }
init(C)

local x = input("x", f32, { B, C, W, W })
-- At the published size only: few elements leave no such error.
tolerance { rms = W > 24 and 128 or 8, max = W > 24 and 128 or 16,
            why = "a running mean and variance (Welford, as PyTorch has it) of 16 million elements make 20 "
              .. "times the error of two passes" }
output("y", nn.batch_norm("bn", C)(x))
