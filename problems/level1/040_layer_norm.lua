problem { "Layer norm over channels and space", level = 1, id = 40,
          repaired = "scaled rows, random weight and bias: the moments of U[0,1) were known" }
sizes { full = { B = 16, C = 64, W = 256 }, small = { B = 4, C = 8, W = 32 } }
init(tuple(C, W, W))

local x = input("x", f32, { B, C, W, W })
-- At the published size only: few elements leave no such error.
tolerance { rms = W > 32 and 256 or 8, max = W > 32 and 256 or 16,
            why = "a running mean and variance (Welford, as PyTorch has it) of 4 million elements, most "
              .. "of them 0, make 72 times the error of two passes" }
output("y", nn.layer_norm("ln", { C, W, W })(x))
