problem { "Matrix times a number", level = 1, id = 5 }
sizes { full = { M = 65536, N = 16384 }, small = { M = 32, N = 512 } }
init()

local a = input("a", f32, { M, N })
local s = scalar("s", 3.14)
output("c", a * s)
