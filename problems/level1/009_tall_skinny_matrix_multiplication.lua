problem { "Tall matrix times flat matrix, inner axis of 32", level = 1, id = 9 }
sizes { full = { M = 32768, N = 32 }, small = { M = 112, N = 32 } }
init()

local a = input("a", f32, { M, N }, spread(), normal(), heavy(), needle())
local b = input("b", f32, { N, M }, spread(), normal(), heavy(), normal())
output("c", matmul(a, b))
