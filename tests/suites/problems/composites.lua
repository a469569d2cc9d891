-- The composites of the prelude in PyTorch's words, for compare.py: what PyTorch calls by that name
-- is what the lowering computes.
problem { "Composites, one by one" }
sizes { full = { N = 32 }, small = { N = 32 } }

local x = input("x", f32, { 6, N }, normal(0, 2))
local q = input("q", f32, { 2, 3, 16, N }, normal())
local k = input("k", f32, { 2, 3, 16, N }, normal())
local t = input("t", i64, { 6 }, ints(0, N))
local z = input("z", f32, { 6, N }, normal())
local w = param("w", f32, { N }, normal(1, 0.25))
local b = param("b", f32, { N }, normal(0, 0.25))
local w3 = param("w3", f32, { 3 }, normal(1, 0.25))
local b3 = param("b3", f32, { 3 }, normal(0, 0.25))
local m = param("m", f32, { N, N }, normal(0, 0.2))

-- elementwise
output("bent", relu(x) + relu6(x * 3) + clamp(x, -1, nil) + clamp(x, nil, 1) + clamp(x, -1, 1)
  + hardtanh(x, -0.5, 0.75) + leaky_relu(x, 0.2))
output("hard", hardsigmoid(x * 2) + hardswish(x * 2))
output("smooth", elu(x, 0.7) + selu(x) + sigmoid(x) + silu(x) + softsign(x))
output("gated", gelu(x) + gelu_tanh(x) + softplus(x * 10) + mish(x))
output("plain", sign(x) + rsqrt(abs(x) + 1) + square(x))

-- reductions
output("moments", mean(x, { dim = 1 }) + var(x, { dim = 1 }) + std(x, { dim = 1, correction = 1 })
  + norm(x, { dim = 1 }) + logsumexp(x, { dim = 1 }))
output("kept", mean(x, { dim = 0, keep = true }) + var(x, { dim = 0, keep = true, correction = 1 })
  + std(x, { dim = 0, keep = true }) + norm(x, { dim = 0, keep = true })
  + logsumexp(x, { dim = 0, keep = true }))
output("whole", mean(x) + var(x) + std(x) + norm(x) + logsumexp(x, { dim = { 0, 1 } }))
output("shares", softmax(x) + softmax(x, { dim = 0 }) + log_softmax(x) + l2_normalize(x, { dim = 0 }))

-- norms
output("layer", layer_norm(x, { N }, w, b) + layer_norm(x, { N }, w) + layer_norm(x, { 6, N }, nil, nil,
  { eps = 0.1 }) + rms_norm(x, w))
output("batch", batch_norm(x, w, b) + batch_norm(x))
output("images", batch_norm(q, w3, b3) + instance_norm(q) + group_norm(q, 1, w3, b3) + group_norm(q, 3)
  + adaptive_avg_pool(q))

-- contractions
output("linear", linear(x, m, b) + linear(x, m) + linear(select(x, 0, 1), m, b))
output("einsum", einsum("bhtd,bhsd,dw->bhtsw", q, k, slice(m, 1, 0, 4)))
output("attention", sdpa(q, k, k) + sdpa(q, k, q, { causal = true }) + sdpa(q, q, k, { scale = 0.05 }))
output("heads", mha(select(q, 1, 0), 4, concat({ m, m, m }), nil, m, b))

-- movement
output("moved", flip(x, { dim = { 0, 1 } }) + roll(x, 5, { dim = 1 }) + roll(x, -2, { dim = 0 }))
output("corner", tril(q) + triu(q, 2) + tril(q, -1))
output("stacked", stack({ x, x * 2 }, { dim = 1 }))

-- losses
output("losses", stack({
  mse_loss(x, z), smooth_l1_loss(x, z, { beta = 0.5 }), cross_entropy(x, t), hinge_loss(x, sign(z)),
  kl_div(log_softmax(x), softmax(z)), triplet_margin_loss(x, z, x * z),
}))

-- layers with states: the same recurrence gives output and states
local steps = reshape(q, { 6, 16, N })
local y, hn, cn = nn.lstm("lstm", N, 16, { layers = 2, bidirectional = true })(steps)
output("lstm", y)
output("lstm_h", hn)
output("lstm_c", cn)
local g, gn = nn.gru("gru", N, 16, { batch_first = true })(steps)
output("gru", g)
output("gru_h", gn)
output("rnn", (nn.rnn("rnn", N, 16, { layers = 2 })(steps)))
