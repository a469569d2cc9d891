problem { "Matrix multiplication, inner axis of 64", level = 1, id = 7 }
sizes { full = { N = 32768, K = 64 }, small = { N = 96, K = 64 } }
init()

local a = input("a", f32, { N, K }, spread(), normal(), heavy(), needle())
local b = input("b", f32, { K, N }, spread(), normal(), heavy(), normal())
output("c", matmul(a, b))
