problem { "Cumulative sum along rows, from the end", level = 1, id = 91 }
sizes { full = { B = 32768, N = 32768 }, small = { B = 32, N = 512 } }
init(1)

local x = input("x", f32, { B, N })
output("y", flip(cumsum(flip(x, { dim = 1 }), { dim = 1 }), { dim = 1 }))
