problem { "NetVLAD with ghost clusters", level = 3, id = 46,
          repaired = "rows have a scale of their own: on U[0,1) all outputs were 0.0078 +- 0.001" }
sizes { full = { B = 2048, N = 100, D = 512, K = 32, GHOSTS = 16 },
        small = { B = 4, N = 20, D = 64, K = 16, GHOSTS = 16 } }
init(K, D, GHOSTS)

local x = input("x", f32, { B, N, D })
output("vlad", lib "net_vlad" (x, GHOSTS))
