problem { "SELU", level = 1, id = 27,
          repaired = "inputs are signed: on U[0,1) it was x times 1.0507" }
sizes { full = { B = 4096, N = 393216 }, small = { B = 32, N = 512 } }
init()

local x = input("x", f32, { B, N })
output("y", selu(x))
