problem { "SqueezeNet's fire module", level = 3, id = 17 }
sizes { full = { B = 128, S = 256, C = 64 }, small = { B = 2, S = 24, C = 16 } }
init(3, 6, C, C)

local x = input("x", f32, { B, 3, S, S })
output("y", lib "fire" ("", x, 6, C))
