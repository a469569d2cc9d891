problem { "NetVLAD without ghost clusters", level = 3, id = 47,
          repaired = "rows have a scale of their own: on U[0,1) all outputs were 0.0078 +- 0.001" }
sizes { full = { B = 2048, N = 100, D = 512, K = 32 }, small = { B = 4, N = 20, D = 64, K = 16 } }
init(K, D, 0)

local x = input("x", f32, { B, N, D })
output("vlad", lib "net_vlad" (x, 0))
