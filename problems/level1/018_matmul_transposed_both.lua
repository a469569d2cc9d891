problem { "Matrix multiplication, both transposed", level = 1, id = 18 }
sizes { full = { M = 2048, K = 8192, N = 4096 }, small = { M = 48, K = 160, N = 80 } }
init()

local a = input("a", f32, { K, M }, spread(), normal(), heavy(), normal())
local b = input("b", f32, { N, K }, spread(), normal(), heavy(), needle())
output("c", matmul(a, b, { trans_a = true, trans_b = true }))
