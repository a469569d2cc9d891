problem { "Matmul, sigmoid, sum", level = 2, id = 56,
          repaired = "rows have a scale of their own: on U[0,1) the sum was O / 2 +- 0.1 %" }
sizes { full = { B = 128, I = 32768, O = 32768 }, small = { B = 64, I = 96, O = 80 } }

local x = input("x", f32, { B, I })
output("y", sum(sigmoid(nn.linear("linear", I, O)(x)), { dim = 1, keep = true }))
