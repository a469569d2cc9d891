problem { "4-D tensor times matrix", level = 1, id = 11 }
sizes { full = { B = 8, I = 256, J = 512, L = 256, K = 768 },
        small = { B = 2, I = 3, J = 16, L = 96, K = 64 } }
init()

local a = input("a", f32, { B, I, J, L }, spread(), normal(), heavy(), needle())
local b = input("b", f32, { L, K }, spread(), normal(), heavy(), normal())
output("c", einsum("bijl,lk->bijk", a, b))
