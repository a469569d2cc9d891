problem { "Matrix multiplication, odd dimensions", level = 1, id = 8 }
sizes { full = { M = 8205, K = 2949, N = 5921 }, small = { M = 61, K = 117, N = 83 } }
init()

local a = input("a", f32, { M, K }, spread(), normal(), heavy(), needle())
local b = input("b", f32, { K, N }, spread(), normal(), heavy(), normal())
output("c", matmul(a, b))
