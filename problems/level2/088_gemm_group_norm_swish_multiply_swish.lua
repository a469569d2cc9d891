problem { "Matmul, group norm, swish, multiply, swish", level = 2, id = 88,
          repaired = "norm weights and biases are random: ones and zeros could be left out" }
sizes { full = { B = 1024, I = 8192, O = 8192, G = 256 },
        small = { B = 16, I = 64, O = 2048, G = 256 } }
init(I, O, G, tuple(O))

local x = input("x", f32, { B, I })
local weight = param("multiply_weight", f32, { O }, normal())
local y = nn.linear("gemm", I, O)(x)
y = swish(nn.group_norm("group_norm", G, O)(y))
output("y", swish(y * weight))
