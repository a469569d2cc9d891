problem { "Matmul, scale, residual, clamp, logsumexp, mish", level = 2, id = 22,
          repaired = "rows have a scale of their own: on U[0,1) every output was 97.5 +- 0.2 %" }
sizes { full = { B = 1024, I = 8192, O = 8192 }, small = { B = 64, I = 96, O = 80 } }
init(I, O, 2.0, -10.0, 10.0)

local x = input("x", f32, { B, I })
local h = nn.linear("matmul", I, O)(x) * 2
local y = logsumexp(clamp(h + h, -10, 10), { dim = 1, keep = true })
output("y", y * mish(y))
