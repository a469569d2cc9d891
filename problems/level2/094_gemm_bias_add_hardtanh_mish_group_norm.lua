problem { "Matmul, bias, hardtanh, mish, group norm", level = 2, id = 94,
          repaired = "norm weights and biases are random: ones and zeros could be left out" }
sizes { full = { B = 1024, I = 8192, O = 8192, G = 256 },
        small = { B = 16, I = 32, O = 4096, G = 256 } }
init(I, O, tuple(O), G)

local x = input("x", f32, { B, I })
local bias = param("bias", f32, { O }, normal())
local y = hardtanh(nn.linear("gemm", I, O)(x) + bias)
output("y", nn.group_norm("groupnorm", G, O)(mish(y)))
