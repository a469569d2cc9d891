problem { "Softmax over rows", level = 1, id = 23,
          repaired = "rows have their own scale: on U[0,1) outputs were 2.5e-6, and zeros passed" }
sizes { full = { B = 4096, N = 393216 }, small = { B = 32, N = 512 } }
init()

-- The last law: exp() of it overflows where nobody took the maximum off.
local x = input("x", f32, { B, N }, spread(), normal(), heavy(), needle(), normal(120, 1))
output("y", softmax(x, { dim = 1 }))
