problem { "Cumulative sum along rows, masked", level = 1, id = 93 }
sizes { full = { B = 32768, N = 32768 }, small = { B = 32, N = 512 } }
init(1)

local x = input("x", f32, { B, N })
local mask = input("mask", bool, { B, N }, bernoulli(0.5))
output("y", cumsum(x * cast(mask, f32), { dim = 1 }))
