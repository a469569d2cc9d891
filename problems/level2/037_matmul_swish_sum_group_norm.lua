problem { "Matmul, swish, bias, group norm", level = 2, id = 37,
          repaired = "norm weights and biases are random: ones and zeros could be left out" }
sizes { full = { B = 32768, I = 1024, O = 4096 }, small = { B = 16, I = 64, O = 512 } }
init(I, O, 64, tuple(O))

local x = input("x", f32, { B, I })
local bias = param("bias", f32, { O }, normal())
local y = nn.linear("matmul", I, O)(x)
output("y", nn.group_norm("group_norm", 64, O)(sigmoid(y) * y + bias))
