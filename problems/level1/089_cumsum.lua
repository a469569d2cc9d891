problem { "Cumulative sum along rows", level = 1, id = 89,
          repaired = "inputs are signed: the running sum of U[0,1) is close to half the index" }
sizes { full = { B = 32768, N = 32768 }, small = { B = 32, N = 512 } }
init(1)

local x = input("x", f32, { B, N })
output("y", cumsum(x, { dim = 1 }))
