problem { "Matmul, logsumexp, leaky ReLU twice, GELU twice", level = 2, id = 64,
          repaired = "rows have a scale of their own: on U[0,1) every output was 9.06 +- 0.02 %" }
sizes { full = { B = 1024, I = 8192, O = 8192 }, small = { B = 64, I = 96, O = 80 } }
init(I, O)

local x = input("x", f32, { B, I })
local y = logsumexp(nn.linear("linear", I, O)(x), { dim = 1, keep = true })
output("y", gelu(gelu(leaky_relu(leaky_relu(y)))))
