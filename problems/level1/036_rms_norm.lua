problem { "RMS norm over channels", level = 1, id = 36,
          repaired = "rows have their own scale: on U[0,1) the norm was 0.58 everywhere" }
sizes { full = { B = 112, C = 64, W = 512 }, small = { B = 2, C = 32, W = 24 } }
init(C)

-- Needles lie along W: over the channels, most columns get one number or none, the edges all.
local x = input("x", f32, { B, C, W, W })
output("y", x / sqrt(mean(x * x, { dim = 1, keep = true }) + 1e-5))
