-- The core ops in PyTorch's words, for compare.py: every one that a problem can reach. Names are
-- awkward on purpose: Python's words, the emitter's own, parameters in no nn.Module's order.
problem { "Core ops, one by one" }
sizes { full = { N = 32 }, small = { N = 32 } }

local x = input("in", f32, { 4, 6, N }, normal())
local y = input("v1", f32, { 6, N }, normal())
local p = input("lambda.x", f32, { 4, 6, N }, uniform(0.25, 2))
local mask = input("mask", bool, { 4, 1, N }, bernoulli(0.5))
local index = input("index", i64, { 3, 5 }, ints(0, 6))
local narrow = input("narrow", i32, { 4, 6, N }, ints(0, 6))
local w = param("block.0.weight", f32, { N, N }, normal(0, 0.2))
local b = param("is", f32, { N }, normal(1, 0.25))
local c = param("block.1.not", f32, { 5, N, 6 }, normal(0, 0.2))
local kernel = param("block.0.kernel", f32, { 9, 2, 3, 2 }, normal(0, 0.2))
local turned = param("turned.1x1", f32, { 6, 4, 3, 2 }, normal(0, 0.2))
local img = reshape(x, { 4, 6, 4, 8 })

-- elementwise
output("unary", -abs(x) + sqrt(p) * exp(x) - expm1(x) + log(p) + log1p(p) + tanh(x) + erf(y) + sin(x)
  + cos(x) + floor(x * 3))
output("powers", pow(p, y) + pow(2, x) - p ^ -1.5 + (-2 - x) / p * b + 1 / p)
local odd = logical_or(logical_and(mask, lt(x, y)), logical_not(gt(x, 0.5)))
output("choice", where(odd, x, -1) + where(le(x, y), 2, maximum(x, y)) + minimum(x, 0.5)
  + maximum(-0.5, minimum(x, y)) + cast(ge(x, 1), f32) + cast(eq(mask, odd), f32))
output("alone", full({}, f32, 3) * full({}, f32, 0.5) + sum(b))
output("integers", where(ne(narrow, 3), narrow, -narrow) * 2 + cast(x * 4, i32) + iota({ 6, N }, i32, 0)
  + cumsum(narrow, { dim = 2 }) + sum(narrow, { dim = { 0, 2 }, keep = true })
  + prod(minimum(narrow, 2), { dim = 1, keep = true }) - min(narrow))
output("narrowed", cast(cast(x * 20, i8), f32) + cast(cast(abs(x), u8), f32)
  + cast(cast(p, f16), f32) + cast(cast(narrow, bool), f32))

-- reductions and scans
output("sums", sum(x, { dim = { 0, 2 } }) + prod(p, { dim = { 0, 2 } }) + max(x, { dim = { 0, 2 } })
  - min(y, { dim = 1 }) + sum(full({ 6, 2 }, f32, 0.5), { dim = 1 }))
output("whole", max(x) + sum(sum(x), { keep = true }))
output("places", argmax(x, { dim = 1 }) + argmin(x, { dim = 1 }) * 10
  - squeeze(argmax(x, { dim = 1, keep = true }), 1))
local largest = topk(x, 5)
local _, equals = topk(floor(x), 3, { dim = 1 })
output("largest", largest)
output("largest_at", equals)
output("scans", cumsum(x, { dim = 2 }) + cumprod(p, { dim = 1 }))

-- contractions and windows
output("products", matmul(x, w) + matmul(x, w, { trans_b = true })
  + matmul(matmul(x, x, { trans_b = true }), transpose(transpose(x)), { trans_a = true }))
output("filtered", conv2d(img, kernel, nil, { pad = { 1, 0 }, groups = 3, stride = { 1, 2 }, dilation = 1 }))
output("scattered", conv_transpose2d(img, turned, nil,
  { stride = { 2, 3 }, pad = 1, output_pad = { 1, 0 }, dilation = { 1, 2 }, groups = 2 }))
output("highest", max_pool(img, { k = { 2, 3 }, stride = 2, pad = 1, dilation = { 2, 1 }, ceil = true }))
output("average", avg_pool(x, { k = 5, stride = 2, pad = 2 }))
output("pairs", max_pool(y, { k = 2 }) + avg_pool(select(y, 0, 0), { k = 2 }))

-- movement
output("moved", permute(reshape(x, { 4, 3, 2, N }), { 2, 0, 3, 1 }))
output("sliced", concat({ slice(x, 2, 3, 20, 4), slice(x, 2, 30, 2, -7), slice(x, 2, nil, nil, -1) },
  { dim = 2 }))
output("padded", pad(pad(x, 0, 1, 0, { value = -2 }), 2, 2, 3) * expand(select(b, 0, 0), { 37 }))
output("rows", gather(x, index, { dim = 1 }) + gather(y, cast(index, i32)).shape[1])
output("single", take(x, slice(narrow, 1, 0, 2), { dim = 1 }))
output("counted", cast(iota({ 5 }, i64), f32) * 2 + cast(slice(iota({ 2, 7 }, i32, 1), 1, 0, 5), f32))

-- recurrences: gates (T, B, G * H) from x, state zero or given
local h = slice(select(x, 0, 0), 1, 0, 8)
local function gates(n) return slice(transpose(c, 1, 2), 2, 0, n * 8) end
local function weights(n) return slice(slice(w, 0, 0, n * 8), 1, 0, 8), slice(b, 0, 0, n * 8) end
local w4, b4 = weights(4)
local w3, b3 = weights(3)
local w1, b1 = weights(1)
output("cells", lstm(gates(4), w4, b4, h, h))
output("gated", gru(gates(3), w3, b3, h) + rnn(gates(1), w1, b1, full({ 6, 8 }, f32, 0)))

-- grouped products and the gated delta rule
local ends = input("ends", i32, { 6 }, offsets(24, 1))
output("grouped", grouped_matmul(reshape(x, { 24, N }), c, ends))
local heads = rearrange(x, "b t (h k) -> b t h k", { h = 2 })
output("delta", kda(heads, heads * 0.2, heads * 2, log(rearrange(p, "b t (h k) -> b t h k", { h = 2 })) * 0.1,
  slice(reshape(p, { 4, 6, N }), 2, 0, 2) * 0.3))
