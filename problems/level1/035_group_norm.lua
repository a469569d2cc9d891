problem { "Group norm, 8 groups", level = 1, id = 35,
          repaired = "scaled rows, random weight and bias: the moments of U[0,1) were known" }
sizes { full = { B = 112, C = 64, W = 512, G = 8 }, small = { B = 2, C = 16, W = 24, G = 8 } }
init(C, G)

local x = input("x", f32, { B, C, W, W })
output("y", nn.group_norm("gn", G, C)(x))
