problem { "Bidirectional LSTM of six layers, linear on the last step", level = 3, id = 38,
          repaired = "wider biases: with PyTorch's init the state forgot its past within tens of steps" }
sizes { full = { B = 10, T = 512, I = 128, H = 256, L = 6, O = 10 },
        small = { B = 4, T = 12, I = 16, H = 24, L = 2, O = 10 } }
init(I, H, L, O, 0.0)

-- The last step of the forward direction is the first one the backward direction takes.
local y = lib "lstm" { bidirectional = true }
output("y", y)
