problem { "Matrix multiplication, long inner axis", level = 1, id = 6,
          repaired = "inputs are signed: with U[0,1) every element was K / 4 to 0.1 %" }
sizes { full = { N = 256, K = 524288 }, small = { N = 32, K = 1024 } }
init()

local a = input("a", f32, { N, K }, spread(), normal(), heavy(), needle())
local b = input("b", f32, { K, N }, spread(), normal(), heavy(), normal())
output("c", matmul(a, b))
