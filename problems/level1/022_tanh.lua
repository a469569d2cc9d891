problem { "Tanh", level = 1, id = 22 }
sizes { full = { B = 4096, N = 393216 }, small = { B = 32, N = 512 } }
init()

local x = input("x", f32, { B, N })
output("y", tanh(x))
