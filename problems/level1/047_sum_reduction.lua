problem { "Sum over the middle axis", level = 1, id = 47,
          repaired = "inputs are signed: the sum of U[0,1) is half the length to 1 %" }
sizes { full = { B = 128, R = 4096, N = 4095 }, small = { B = 4, R = 192, N = 255 } }
init(1)

-- A needle has four places along N, so a column's sum has about two terms, at random places of R.
local x = input("x", f32, { B, R, N })
output("y", sum(x, { dim = 1, keep = true }))
