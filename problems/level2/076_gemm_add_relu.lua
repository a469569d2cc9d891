problem { "Matmul, bias, ReLU", level = 2, id = 76 }
sizes { full = { B = 1024, I = 8192, O = 8192 }, small = { B = 32, I = 96, O = 80 } }
init(I, O, tuple(O))

local x = input("x", f32, { B, I })
local bias = param("bias", f32, { O }, normal())
output("y", relu(nn.linear("gemm", I, O, { bias = false })(x) + bias))
