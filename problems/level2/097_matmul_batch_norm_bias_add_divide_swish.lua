problem { "Matmul, batch norm, bias, divide by 1, swish", level = 2, id = 97,
          repaired = "norm weights and biases are random: ones and zeros could be left out" }
sizes { full = { B = 1024, I = 8192, O = 8192 }, small = { B = 32, I = 96, O = 80 } }
init(I, O, 1e-05, 0.1, tuple(1), 1.0)

local x = input("x", f32, { B, I })
local bias = param("bias", f32, { 1 }, normal())
local y = nn.linear("matmul", I, O)(x)
y = (nn.batch_norm("bn", O)(y) + bias) / 1
output("y", swish(y))
