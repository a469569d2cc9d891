problem { "Leaky ReLU", level = 1, id = 20,
          repaired = "inputs are signed: on U[0,1) it was the identity" }
sizes { full = { B = 4096, N = 393216 }, small = { B = 32, N = 512 } }
init()

local x = input("x", f32, { B, N })
output("y", leaky_relu(x, 0.01))
