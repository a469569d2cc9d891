problem { "Positive part and size of a number", level = 1, id = 1, mode = "eval" }
sizes { full = { B = 32, N = 512 }, small = { B = 32, N = 512 } }
init()
local x = input("x", f32, { B, N })
output("positive", relu(x))
output("size", abs(x))
