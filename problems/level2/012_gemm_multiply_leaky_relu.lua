problem { "Gemm, multiply, leaky ReLU", level = 2, id = 12 }
sizes { full = { B = 1024, I = 8192, O = 8192 }, small = { B = 16, I = 128, O = 96 } }
init(I, O, 2.0, 0.1)

local x = input("x", f32, { B, I })
output("y", leaky_relu(nn.linear("gemm", I, O)(x) * 2, 0.1))
