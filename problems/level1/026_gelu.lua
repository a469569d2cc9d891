problem { "GELU, exact (erf)", level = 1, id = 26,
          repaired = "inputs are signed and reach the tails: U[0,1) showed a sixth of the curve" }
sizes { full = { B = 4096, N = 393216 }, small = { B = 32, N = 512 } }

local x = input("x", f32, { B, N })
output("y", gelu(x))
