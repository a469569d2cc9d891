problem { "GRU of six layers, the last hidden states", level = 3, id = 40,
          repaired = "wider weights and biases: PyTorch's forget all but the last 64 steps" }
sizes { full = { T = 512, B = 10, I = 128, H = 256, L = 6 },
        small = { T = 12, B = 4, I = 16, H = 24, L = 2 } }
init(I, H, L)

local _, h_n = lib "gru" {}
output("h_n", h_n)
