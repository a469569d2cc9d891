problem { "One step of a vanilla RNN, and its output", level = 3, id = 33 }
sizes { full = { B = 256, I = 16384, H = 16384, O = 8192 },
        small = { B = 16, I = 48, H = 64, O = 32 } }
init(I, H, O)

local x = input("x", f32, { B, I })
local h = input("initial_hidden", f32, { B, H }, normal(), spread())
h = tanh(nn.linear("i2h", I + H, H)(concat({ x, h }, { dim = 1 })))
output("y", nn.linear("h2o", H, O)(h))
