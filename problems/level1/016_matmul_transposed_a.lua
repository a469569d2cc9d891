problem { "Matrix multiplication, A transposed", level = 1, id = 16 }
sizes { full = { M = 2048, K = 8192, N = 4096 }, small = { M = 48, K = 160, N = 80 } }
init()

-- Needles lie along M: most rows of A' get about 2 K / M numbers, the first and the last all.
local a = input("a", f32, { K, M }, spread(), normal(), heavy(), needle())
local b = input("b", f32, { K, N }, spread(), normal(), heavy(), normal())
output("c", matmul(a, b, { trans_a = true }))
