problem { "Matmul, group norm, leaky ReLU, sum with itself", level = 2, id = 62,
          repaired = "norm weights and biases are random: ones and zeros could be left out" }
sizes { full = { B = 1024, I = 8192, O = 8192, G = 512 },
        small = { B = 16, I = 32, O = 4096, G = 512 } }
init(I, O, G)

local x = input("x", f32, { B, I })
local y = nn.linear("fc", I, O)(x)
y = leaky_relu(nn.group_norm("gn", G, O)(y))
output("y", y + y)
