problem { "Mean squared error", level = 1, id = 94,
          repaired = "rows have their own scale: the loss followed from one hidden scalar" }
sizes { full = { B = 32768, N = 32768 }, small = { B = 64, N = 256 } }
init()

local x = input("predictions", f32, { B, N })
local target = input("targets", f32, { B, N })
output("loss", mse_loss(x, target))
