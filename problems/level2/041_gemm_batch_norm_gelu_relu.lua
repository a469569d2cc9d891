problem { "Gemm, batch norm, GELU, ReLU", level = 2, id = 41,
          repaired = "norm weights and biases are random: ones and zeros could be left out" }
sizes { full = { B = 16384, I = 4096, O = 4096 }, small = { B = 64, I = 96, O = 80 } }
init(I, O)

local x = input("x", f32, { B, I })
local y = nn.linear("gemm", I, O)(x)
y = nn.batch_norm("batch_norm", O)(y)
output("y", relu(gelu(y)))
