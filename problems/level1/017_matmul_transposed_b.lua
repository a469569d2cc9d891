problem { "Matrix multiplication, B transposed", level = 1, id = 17 }
sizes { full = { M = 2048, K = 8192, N = 4096 }, small = { M = 64, K = 128, N = 96 } }
init()

local a = input("a", f32, { M, K }, spread(), normal(), heavy(), needle())
local b = input("b", f32, { N, K }, spread(), normal(), heavy(), normal())
output("c", matmul(a, b, { trans_b = true }))
