problem { "Vanilla RNN over time, linear on every step", level = 3, id = 34,
          repaired = "weights that keep the size of h: PyTorch's let it forget within 12 steps" }
sizes { full = { T = 256, B = 8, I = 1024, H = 256, O = 128 },
        medium = { T = 48, B = 28, I = 40, H = 24, O = 16 },
        small = { T = 12, B = 4, I = 40, H = 24, O = 16 } }
init(I, H, O)

-- Quiet inputs, the second law, leave tanh almost linear: there h is remembered longest.
local x = input("x", f32, { T, B, I }, spread { scale = 0.1 }, normal(0, 0.01),
  heavy { scale = 0.1 }, needle())
local h0 = input("h0", f32, { B, H }, normal(), spread())
-- h = tanh(i2h(concat(x[t], h))): the columns of x are multiplied for all steps at once.
local bound = sqrt(3 / H)
local w = param("i2h.weight", f32, { H, I + H }, uniform(-bound, bound))
local b = param("i2h.bias", f32, { H }, uniform(-bound, bound))
local w_x, w_h = split(w, { I, H }, { dim = 1 })
output("y", nn.linear("h2o", H, O)(rnn(linear(x, w_x), w_h, b, h0)))
