problem { "Minimum over the middle axis", level = 1, id = 53,
          repaired = "inputs are signed: the minimum of 4096 U[0,1) is 2e-4, and zeros passed" }
sizes { full = { B = 128, R = 4096, N = 4095 }, small = { B = 2, R = 128, N = 255 } }
init(1)

local x = input("x", f32, { B, R, N })
output("y", min(x, { dim = 1 }))
