problem { "LSTM of six layers, linear on the last step", level = 3, id = 35,
          repaired = "h0 and c0 are inputs; wider weights and biases: 64 steps were all it knew" }
sizes { full = { B = 10, T = 512, I = 128, H = 256, L = 6, O = 10 },
        small = { B = 4, T = 12, I = 16, H = 24, L = 2, O = 10 } }

local x = input("x", f32, { B, T, I })
local h0 = input("h0", f32, { L, B, H }, normal())
local c0 = input("c0", f32, { L, B, H }, normal())
local lstm = nn.lstm("lstm", I, H, { layers = L, batch_first = true, gain = 2, gate_bias = 2 })
local fc = nn.linear("fc", H, O)
output("y", fc(select(lstm(x, h0, c0), 1, -1)))
