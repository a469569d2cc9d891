problem { "Upper triangular matrices multiplied", level = 1, id = 14,
          repaired = "inputs have no structure, so what lies below the diagonal is ignored",
          foreign = "published candidates may count on zeros below the diagonal" }
sizes { full = { N = 4096 }, small = { N = 96 } }
init()

local a = input("a", f32, { N, N }, spread(), normal(), heavy(), needle())
local b = input("b", f32, { N, N }, spread(), normal(), heavy(), normal())
output("c", triu(matmul(triu(a), triu(b))))
