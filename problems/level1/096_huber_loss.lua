problem { "Huber loss (smooth L1)", level = 1, id = 96,
          repaired = "rows have their own scale: on U[0,1) the linear part was never reached" }
sizes { full = { B = 32768, N = 32768 }, small = { B = 64, N = 256 } }
init()

local x = input("predictions", f32, { B, N })
local target = input("targets", f32, { B, N })
output("loss", smooth_l1_loss(x, target))
