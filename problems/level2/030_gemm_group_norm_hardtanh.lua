problem { "Gemm, group norm, hardtanh", level = 2, id = 30,
          repaired = "norm weights and biases are random: ones and zeros could be left out" }
sizes { full = { B = 1024, I = 8192, O = 8192 }, small = { B = 16, I = 96, O = 256 } }
init(I, O, 16, -2.0, 2.0)

local x = input("x", f32, { B, I })
local y = nn.linear("gemm", I, O)(x)
y = nn.group_norm("group_norm", 16, O)(y)
output("y", hardtanh(y, -2, 2))
