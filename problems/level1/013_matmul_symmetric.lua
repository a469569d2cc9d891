problem { "Symmetric matrices multiplied", level = 1, id = 13,
          repaired = "inputs have no structure, so a matrix is its lower triangle, mirrored",
          foreign = "published candidates read whole matrices, which were symmetric" }
sizes { full = { N = 4096 }, small = { N = 96 } }
init()

local function symmetric(x) return tril(x) + triu(transpose(x), 1) end
local a = input("a", f32, { N, N }, spread(), normal(), heavy(), needle())
local b = input("b", f32, { N, N }, spread(), normal(), heavy(), normal())
output("c", matmul(symmetric(a), symmetric(b)))
