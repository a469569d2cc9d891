problem { "Matmul, dropout, softmax", level = 2, id = 66,
          repaired = "the dropout mask is an input, and rows have a scale of their own: the answer "
            .. "was random, and about 6e-5 everywhere",
          foreign = "published candidates draw their mask: forward has no second argument" }
sizes { full = { B = 128, I = 16384, O = 16384 }, small = { B = 32, I = 96, O = 80 } }
init(I, O, 0.2)

local x = input("x", f32, { B, I })
local mask = input("mask", bool, { B, O }, bernoulli(0.8))
local y = nn.linear("matmul", I, O)(x)
output("y", softmax(where(mask, y / 0.8, 0), { dim = 1 }))
