problem { "Matmul, add, swish, tanh, GELU, hardtanh", level = 2, id = 95 }
sizes { full = { B = 1024, I = 8192, O = 8192 }, small = { B = 32, I = 96, O = 80 } }
init(I, O, tuple(O))

local x = input("x", f32, { B, I })
local add_value = param("add_value", f32, { O }, normal())
local y = swish(nn.linear("matmul", I, O)(x) + add_value)
output("y", hardtanh(gelu(tanh(y))))
