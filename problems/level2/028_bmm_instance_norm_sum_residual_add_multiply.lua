problem { "Linear, instance norm of each row, add and multiply by an input", level = 2, id = 28 }
sizes { full = { B = 1024, I = 8192, O = 8192 }, small = { B = 16, I = 128, O = 96 } }
init(I, O)

local x = input("x", f32, { B, I })
local y = input("y", f32, { B, O })
local h = nn.linear("bmm", I, O)(x)
h = reshape(instance_norm(reshape(h, { B, 1, 1, O })), { B, O }) -- one channel: its row
output("out", (h + y) * y)
