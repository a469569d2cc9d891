problem { "Matmul, mish, mish", level = 2, id = 29 }
sizes { full = { B = 1024, I = 8192, O = 8192 }, small = { B = 16, I = 128, O = 96 } }
init(I, O)

local x = input("x", f32, { B, I })
output("y", mish(mish(nn.linear("linear", I, O)(x))))
