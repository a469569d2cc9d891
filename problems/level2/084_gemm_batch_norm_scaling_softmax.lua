problem { "Matmul, batch norm, scale, softmax", level = 2, id = 84,
          repaired = "the scale and the norm's weights and biases are random: ones and zeros could "
            .. "be left out" }
sizes { full = { B = 1024, I = 8192, O = 8192 }, small = { B = 32, I = 96, O = 80 } }
init(I, O, 1e-05, 0.1, tuple(1))

local x = input("x", f32, { B, I })
local scale = param("scale", f32, { 1 }, uniform(1, 3))
local y = nn.linear("gemm", I, O)(x)
output("y", softmax(scale * nn.batch_norm("bn", O)(y), { dim = 1 }))
