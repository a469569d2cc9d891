problem { "Matmul, scale, residual", level = 2, id = 40 }
sizes { full = { B = 16384, I = 4096, O = 4096 }, small = { B = 16, I = 128, O = 96 } }
init(I, O, 0.5)

local x = input("x", f32, { B, I })
local y = nn.linear("matmul", I, O)(x)
output("y", y * 0.5 + y)
