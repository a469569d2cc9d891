problem { "Matrix times a number", level = 1, id = 5 }
sizes { full = { M = 65536, N = 16384 }, small = { M = 32, N = 512 } }

local a = input("a", f32, { M, N })
output("c", a * 3.14)
