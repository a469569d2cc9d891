problem { "Batched matrix multiplication", level = 1, id = 3 }
sizes { full = { B = 128, M = 512, K = 1024, N = 2048 },
        small = { B = 3, M = 48, K = 64, N = 80 } }
init()

local a = input("a", f32, { B, M, K }, spread(), normal(), heavy(), needle())
local b = input("b", f32, { B, K, N }, spread(), normal(), heavy(), normal())
output("c", matmul(a, b))
