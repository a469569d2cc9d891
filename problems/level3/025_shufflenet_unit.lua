problem { "ShuffleNet's unit: grouped convolutions and a channel shuffle", level = 3, id = 25 }
sizes { full = { B = 10, I = 240, O = 480, S = 224 }, small = { B = 2, I = 24, O = 48, S = 16 } }
init(I, O, 3)

local x = input("x", f32, { B, I, S, S })
output("y", lib "shuffle_unit" ("", x, O))
