problem { "Gemm, scale, batch norm", level = 2, id = 33,
          repaired = "norm weights and biases are random: ones and zeros could be left out" }
sizes { full = { B = 1024, I = 8192, O = 8192 }, small = { B = 64, I = 96, O = 80 } }
init(I, O, tuple(O))

local x = input("x", f32, { B, I })
local scale = param("scale", f32, { O }, normal())
local y = nn.linear("gemm", I, O)(x) * scale
output("y", nn.batch_norm("bn", O)(y))
