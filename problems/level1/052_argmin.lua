problem { "Index of the smallest along the middle axis, the first of equals", level = 1, id = 52,
          repaired = "needles tie in many columns, so that the rule for ties always counts" }
sizes { full = { B = 128, R = 4096, N = 4095 }, small = { B = 2, R = 128, N = 255 } }
init(1)

local x = input("x", f32, { B, R, N })
output("y", argmin(x, { dim = 1 }))
