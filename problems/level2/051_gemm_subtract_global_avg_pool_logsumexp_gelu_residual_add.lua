problem { "Matmul, subtract, mean over features, logsumexp, GELU, residual", level = 2, id = 51,
          algebra = "the mean over features turns the matmul into a matrix-vector product, and a "
            .. "logsumexp over one element is that element" }
sizes { full = { B = 2048, I = 8192, O = 8192 }, small = { B = 32, I = 96, O = 80 } }
init(I, O)

local x = input("x", f32, { B, I })
local subtract = param("subtract", f32, { O }, normal())
local y = mean(nn.linear("gemm", I, O)(x) - subtract, { dim = 1, keep = true })
output("y", gelu(logsumexp(y, { dim = 1, keep = true })) + x)
