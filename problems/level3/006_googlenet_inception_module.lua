problem { "GoogLeNet's inception module, without activations", level = 3, id = 6 }
-- D divides every width.
sizes { full = { B = 10, S = 224, D = 1 }, small = { B = 2, S = 16, D = 8 } }
init(480 // D, 192 // D, 96 // D, 208 // D, 16 // D, 48 // D, 64 // D)

local x = input("x", f32, { B, 480 // D, S, S })
output("y", lib "inception" ("", x, { 192, 96, 208, 16, 48, 64 }))
