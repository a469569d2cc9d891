problem { "Maximum over the middle axis", level = 1, id = 49,
          repaired = "rows have their own scale: the maximum of 4096 U[0,1) is 1 to 2e-4" }
sizes { full = { B = 128, R = 4096, N = 4095 }, small = { B = 2, R = 128, N = 255 } }
init(1)

local x = input("x", f32, { B, R, N })
output("y", max(x, { dim = 1 }))
