problem { "Triplet margin loss", level = 1, id = 99,
          repaired = "rows have their own scale: on U[0,1) the distances cancelled to the margin" }
sizes { full = { B = 32768, N = 8192 }, small = { B = 64, N = 256 } }
init(1.0)

local anchor = input("anchor", f32, { B, N })
local positive = input("positive", f32, { B, N })
local negative = input("negative", f32, { B, N })
output("loss", triplet_margin_loss(anchor, positive, negative, { margin = 1 }))
