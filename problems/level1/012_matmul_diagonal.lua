problem { "Diagonal matrix times matrix", level = 1, id = 12 }
sizes { full = { M = 4096, N = 4096 }, small = { M = 64, N = 160 } }
init()

-- The diagonal is never a needle: nearly all rows would be 0.
local a = input("a", f32, { M }, spread(), normal(), heavy(), normal())
local b = input("b", f32, { M, N }, spread(), normal(), heavy(), needle())
output("c", unsqueeze(a, 1) * b)
