problem { "Cross entropy loss", level = 1, id = 95,
          repaired = "rows have a scale of their own: on U[0,1) the loss was 8.359 for any input" }
sizes { full = { B = 32768, C = 4096 }, small = { B = 64, C = 128 } }
init()

-- The last law: exp() of it overflows where nobody took the maximum off.
local x = input("predictions", f32, { B, C }, spread(), normal(), heavy(), needle(), normal(120, 1))
local target = input("targets", i64, { B }, ints(0, C))
output("loss", cross_entropy(x, target))
