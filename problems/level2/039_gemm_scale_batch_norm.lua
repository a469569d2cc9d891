problem { "Gemm, scale, batch norm, over a large batch", level = 2, id = 39,
          repaired = "norm weights and biases are random: ones and zeros could be left out" }
sizes { full = { B = 16384, I = 4096, O = 4096 }, small = { B = 64, I = 96, O = 80 } }
init(I, O, tuple(O))

local x = input("x", f32, { B, I })
local scale = param("scale", f32, { O }, normal())
local y = nn.linear("gemm", I, O)(x) * scale
output("y", nn.batch_norm("bn", O)(y))
