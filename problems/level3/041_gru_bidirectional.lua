problem { "Bidirectional GRU of six layers", level = 3, id = 41,
          repaired = "wider weights and biases: PyTorch's forget a step within 64 more" }
sizes { full = { T = 512, B = 10, I = 128, H = 256, L = 6 },
        small = { T = 12, B = 4, I = 16, H = 24, L = 2 } }
init(I, H, L)

local y = lib "gru" { bidirectional = true }
output("y", y)
