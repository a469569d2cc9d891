problem { "Matmul, ReLU, divide", level = 2, id = 63 }
sizes { full = { B = 1024, I = 8192, O = 8192 }, small = { B = 32, I = 96, O = 80 } }
init(I, O, 2.0)

local x = input("x", f32, { B, I })
output("y", relu(nn.linear("linear", I, O)(x)) / 2)
