problem { "3-D tensor times matrix", level = 1, id = 10 }
sizes { full = { N = 16, M = 1024, K = 2048, L = 768 }, small = { N = 3, M = 24, K = 128, L = 48 } }
init()

local a = input("a", f32, { N, M, K }, spread(), normal(), heavy(), needle())
local b = input("b", f32, { K, L }, spread(), normal(), heavy(), normal())
output("c", matmul(a, b))
