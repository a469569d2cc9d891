problem { "Matmul, divide, GELU", level = 2, id = 86 }
sizes { full = { B = 1024, I = 8192, O = 8192 }, small = { B = 32, I = 96, O = 80 } }
init(I, O, 10.0)

local x = input("x", f32, { B, I })
output("y", gelu(nn.linear("linear", I, O)(x) / 10))
