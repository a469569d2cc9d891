problem { "Matrix times vector, rows of a million", level = 1, id = 4,
          repaired = "inputs are signed: the dot of a million U[0,1) is K / 4 to 0.1 %" }
sizes { full = { M = 2048, K = 1048576 }, small = { M = 64, K = 1024 } }
init()

local a = input("a", f32, { M, K }, spread(), normal(), heavy(), needle())
local b = input("b", f32, { K, 1 }, spread(), normal(), heavy(), normal())
output("c", matmul(a, b))
