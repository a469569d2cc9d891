problem { "RMS norm over channels", level = 1, id = 36,
          repaired = "inputs are signed and scaled row by row: on U[0,1) the norm was close to 0.577 everywhere" }
sizes { full = { B = 112, C = 64, W = 512 }, small = { B = 2, C = 32, W = 24 } }

-- A needle is one along W; over the channels it leaves most columns one or no number, the edges all.
local x = input("x", f32, { B, C, W, W })
output("y", x / sqrt(mean(x * x, { dim = 1, keep = true }) + 1e-5))
