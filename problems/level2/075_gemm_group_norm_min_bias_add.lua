problem { "Matmul, group norm, minimum over features, bias", level = 2, id = 75,
          repaired = "norm weights and biases are random: ones and zeros could be left out" }
sizes { full = { B = 1024, I = 8192, O = 8192, G = 512 },
        small = { B = 8, I = 48, O = 2048, G = 512 } }
init(I, O, G, tuple(1, O, 1, 1))

local x = input("x", f32, { B, I })
local bias = param("bias", f32, { 1, O, 1, 1 }, normal())
local y = nn.linear("gemm", I, O)(x)
y = nn.group_norm("group_norm", G, O)(y)
-- (B, 1) + (1, O, 1, 1) is (1, O, B, 1): every bias with every row's minimum.
output("y", min(y, { dim = 1, keep = true }) + bias)
