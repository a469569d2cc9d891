problem { "Sigmoid", level = 1, id = 21 }
sizes { full = { B = 4096, N = 393216 }, small = { B = 32, N = 512 } }
init()

local x = input("x", f32, { B, N })
output("y", sigmoid(x))
