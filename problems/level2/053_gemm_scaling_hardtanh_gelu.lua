problem { "Matmul, scale, hardtanh, GELU", level = 2, id = 53 }
sizes { full = { B = 2048, I = 8192, O = 8192 }, small = { B = 32, I = 96, O = 80 } }
init(I, O, 0.5, -2, 2)

local x = input("x", f32, { B, I })
local y = nn.linear("gemm", I, O)(x) * 0.5
output("y", gelu(hardtanh(y, -2, 2)))
