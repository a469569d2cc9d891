problem { "Matmul, minimum with a scalar, subtract it", level = 2, id = 68,
          repaired = "the scalar is drawn from U(0, 2): a minimum with 2 was never reached" }
sizes { full = { B = 128, I = 16384, O = 16384 }, small = { B = 32, I = 96, O = 80 } }
init(I, O, 2.0)

local x = input("x", f32, { B, I })
local c = param("constant", f32, {}, uniform(0, 2))
output("y", minimum(nn.linear("linear", I, O)(x), c) - c)
