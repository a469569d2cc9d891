problem { "Softsign", level = 1, id = 30,
          repaired = "inputs are signed: on U[0,1) abs changed nothing" }
sizes { full = { B = 4096, N = 393216 }, small = { B = 32, N = 512 } }
init()

local x = input("x", f32, { B, N })
output("y", softsign(x))
