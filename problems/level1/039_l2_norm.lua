problem { "Division by the Euclidean norm of the row", level = 1, id = 39,
          repaired = "signed rows of their own scale: outputs were below 7e-3, and zeros passed" }
sizes { full = { B = 32768, N = 65535 }, small = { B = 32, N = 511 } }
init()

local x = input("x", f32, { B, N })
output("y", x / norm(x, { dim = 1, keep = true }))
