problem { "Matmul, swish, divide, clamp, tanh, clamp", level = 2, id = 81 }
sizes { full = { B = 1024, I = 8192, O = 8192 }, small = { B = 32, I = 96, O = 80 } }
init(I, O)

local x = input("x", f32, { B, I })
local y = swish(nn.linear("gemm", I, O)(x)) / 2
output("y", clamp(tanh(clamp(y, -1, 1)), -1, 1))
