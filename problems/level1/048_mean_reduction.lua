problem { "Mean over the middle axis", level = 1, id = 48 }
sizes { full = { B = 128, R = 4096, N = 4095 }, small = { B = 2, R = 128, N = 255 } }
init(1)

local x = input("x", f32, { B, R, N })
output("y", mean(x, { dim = 1 }))
