problem { "Square matrix multiplication", level = 1, id = 1 }
sizes { full = { N = 4096 }, small = { N = 96 } }
init()

-- B is never a needle: two sparse factors leave almost nothing of the product.
local a = input("a", f32, { N, N }, spread(), normal(), heavy(), needle())
local b = input("b", f32, { N, N }, spread(), normal(), heavy(), normal())
output("c", matmul(a, b))
