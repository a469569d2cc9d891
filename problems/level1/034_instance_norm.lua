problem { "Instance norm", level = 1, id = 34,
          repaired = "scaled rows: the moments of U[0,1) were known" }
sizes { full = { B = 112, C = 64, W = 512 }, small = { B = 2, C = 16, W = 24 } }
init(C)

local x = input("x", f32, { B, C, W, W })
output("y", instance_norm(x))
