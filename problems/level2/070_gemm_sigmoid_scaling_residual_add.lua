problem { "Matmul, sigmoid, scale, residual", level = 2, id = 70 }
sizes { full = { B = 1024, I = 8192, O = 8192 }, small = { B = 32, I = 96, O = 80 } }
init(I, O, 2.0)

local x = input("x", f32, { B, I })
local h = nn.linear("gemm", I, O)(x)
output("y", sigmoid(h) * 2 + h)
