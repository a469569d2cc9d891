problem { "Hard sigmoid", level = 1, id = 28,
          repaired = "inputs reach beyond -3 and 3: on U[0,1) it was x / 6 + 1 / 2" }
sizes { full = { B = 4096, N = 393216 }, small = { B = 32, N = 512 } }
init()

local x = input("x", f32, { B, N })
output("y", hardsigmoid(x))
