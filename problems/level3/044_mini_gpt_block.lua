problem { "GPT block: causal self-attention and MLP, pre-norm", level = 3, id = 44,
          repaired = "norm weights and biases are random: ones and zeros could be left out" }
sizes { full = { B = 128, T = 512, C = 768, HEADS = 8 },
        small = { B = 2, T = 24, C = 64, HEADS = 8 } }
init(C, HEADS, 0.0, 0.0, 1024)

local attention = lib "causal_attention"

local x = input("x", f32, { B, T, C })
x = x + attention("attn.", nn.layer_norm("ln_1", C)(x))
local h = nn.layer_norm("ln_2", C)(x)
h = gelu_tanh(nn.linear("mlp.c_fc", C, 4 * C)(h))
output("y", x + nn.linear("mlp.c_proj", 4 * C, C)(h))
