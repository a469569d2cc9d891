problem { "Cumulative sum along rows, exclusive", level = 1, id = 92 }
sizes { full = { B = 32768, N = 32768 }, small = { B = 32, N = 512 } }
init(1)

local x = input("x", f32, { B, N })
output("y", pad(cumsum(slice(x, 1, 0, -1), { dim = 1 }), 1, 1, 0))
