problem { "LSTM of six layers, the last cell states", level = 3, id = 37,
          repaired = "wider weights and biases: PyTorch's forget all but the last 64 steps" }
sizes { full = { B = 10, T = 512, I = 128, H = 256, L = 6, O = 10 },
        small = { B = 4, T = 12, I = 16, H = 24, L = 2, O = 10 } }
init(I, H, L, O, 0.0)

local _, _, c_n = lib "lstm" { gain = 2 } -- published like this: y is thrown away
output("c_n", c_n)
