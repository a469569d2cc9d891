problem { "Division by the Frobenius norm", level = 1, id = 37,
          repaired = "signed rows of their own scale: outputs were below 4e-5, and zeros passed" }
sizes { full = { B = 112, C = 64, W = 512 }, small = { B = 2, C = 16, W = 24 } }
init()

local x = input("x", f32, { B, C, W, W })
output("y", x / norm(x))
