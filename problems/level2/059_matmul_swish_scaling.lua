problem { "Matmul, swish, scale", level = 2, id = 59 }
sizes { full = { B = 128, I = 32768, O = 32768 }, small = { B = 32, I = 96, O = 80 } }
init(I, O, 2.0)

local x = input("x", f32, { B, I })
output("y", swish(nn.linear("matmul", I, O)(x)) * 2)
