problem { "Causal self-attention of minGPT", level = 3, id = 43 }
sizes { full = { B = 128, T = 512, C = 768, HEADS = 8 },
        small = { B = 2, T = 24, C = 64, HEADS = 8 } }
init(C, HEADS, 0.0, 0.0, 1024)

local x = input("x", f32, { B, T, C })
output("y", lib "causal_attention" ("", x))
