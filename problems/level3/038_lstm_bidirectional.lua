problem { "Bidirectional LSTM of six layers, linear on the last step", level = 3, id = 38,
          repaired = "wider biases: with PyTorch's init the state forgot its past within tens of steps" }
sizes { full = { B = 10, T = 512, I = 128, H = 256, L = 6, O = 10 },
        small = { B = 4, T = 12, I = 16, H = 24, L = 2, O = 10 } }

local x = input("x", f32, { B, T, I })
local h0 = input("h0", f32, { 2 * L, B, H }, normal())
local c0 = input("c0", f32, { 2 * L, B, H }, normal())
local lstm = nn.lstm("lstm", I, H, { layers = L, bidirectional = true, batch_first = true, gate_bias = 2 })
local fc = nn.linear("fc", 2 * H, O)
-- The last step of the forward direction is the first one the backward direction takes.
output("y", fc(select(lstm(x, h0, c0), 1, -1)))
