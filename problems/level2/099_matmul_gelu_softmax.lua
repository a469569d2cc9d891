problem { "Matmul, GELU, softmax", level = 2, id = 99,
          repaired = "rows have a scale of their own: on U[0,1) outputs were 1.2e-4, and zeros "
            .. "passed" }
sizes { full = { B = 1024, I = 8192, O = 8192 }, small = { B = 32, I = 96, O = 80 } }
init(I, O)

local x = input("x", f32, { B, I })
output("y", softmax(gelu(nn.linear("linear", I, O)(x)), { dim = 1 }))
