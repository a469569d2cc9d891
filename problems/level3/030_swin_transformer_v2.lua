problem { "Swin transformer V2", level = 3, id = 30,
          repaired = "norm weights, biases, logit scales are random: constants could be left out" }
sizes { full = { B = 10, S = 224, DIM = 96, STAGES = 4, CLASSES = 1000 },
        medium = { B = 1, S = 56, DIM = 12, STAGES = 2, CLASSES = 24 },
        small = { B = 2, S = 56, DIM = 24, STAGES = 2, CLASSES = 24 } }
-- The defaults of the published constructor make the full size.
if STAGES == 4 then init() else init(S, 4, 3, CLASSES, DIM, { 2, 2 }, { 3, 6 }) end

local WINDOW = 7
local SHIFT, TOKENS, SPAN = WINDOW // 2, WINDOW * WINDOW, 2 * WINDOW - 1

-- a[i] - a[j] of a list, for all pairs.
local function differences(a) return unsqueeze(a, 1) - unsqueeze(a, 0) end

-- The offsets -6 .. 6 in both directions, on a logarithmic scale from -1 to 1.
local function log_offsets()
  local function along(axis)
    local t = (iota({ SPAN, SPAN }, f32, axis) - (WINDOW - 1)) * (8 / (WINDOW - 1))
    return reshape(sign(t) * log(abs(t) + 1) / log(8), { SPAN * SPAN, 1 })
  end
  return concat({ along(0), along(1) }, { dim = 1 })
end

-- For all pairs of tokens of a window: where their offset stands in that table.
local function offset_index()
  local function along(axis)
    return differences(reshape(iota({ WINDOW, WINDOW }, i64, axis), { TOKENS })) + (WINDOW - 1)
  end
  return reshape(along(0) * SPAN + along(1), { TOKENS * TOKENS })
end

local function windows(x)
  return rearrange(x, "b (y p) (x q) c -> b (y x) (p q) c", { p = WINDOW, q = WINDOW })
end

-- -100 between the parts of a window that only the roll has brought together.
local function roll_mask(side)
  local function part(axis)
    local i = iota({ 1, side, side, 1 }, i64, axis)
    return cast(ge(i, side - WINDOW), i64) + cast(ge(i, side - SHIFT), i64)
  end
  local region = reshape(windows(part(1) * 3 + part(2)), { -1, TOKENS })
  local apart = ne(unsqueeze(region, 2), unsqueeze(region, 1))
  return unsqueeze(cast(apart, f32) * -100, 1)
end

local OFFSETS, INDEX = log_offsets(), offset_index()

-- Cosine attention of the tokens (b, window, token, c) of each window, biased by their offsets.
local function attention(name, x, heads, mask)
  local c = x.shape[4]
  local scale = param(name .. ".logit_scale", f32, { heads, 1, 1 }, uniform(2, 5))
  local q_bias = param(name .. ".q_bias", f32, { c }, normal(0, 0.25))
  local v_bias = param(name .. ".v_bias", f32, { c }, normal(0, 0.25))
  local bias = relu(nn.linear(name .. ".cpb_mlp.0", 2, 512)(OFFSETS))
  bias = nn.linear(name .. ".cpb_mlp.2", 512, heads, { bias = false })(bias)
  bias = rearrange(gather(bias, INDEX), "(i j) h -> h i j", { i = TOKENS })

  local qkv = nn.linear(name .. ".qkv", c, 3 * c, { bias = false })(x)
  local q, k, v = split(qkv, 3, { dim = -1 })
  local function split_heads(t) return rearrange(t, "b w t (h d) -> b w h t d", { h = heads }) end
  q = l2_normalize(split_heads(q + q_bias), { dim = -1 })
  k = l2_normalize(split_heads(k), { dim = -1 })
  local scores = matmul(q, k, { trans_b = true }) * exp(clamp(scale, nil, log(100)))
  scores = scores + sigmoid(bias) * 16
  if mask then scores = scores + mask end
  local y = matmul(softmax(scores), split_heads(v + v_bias))
  return nn.linear(name .. ".proj", c, c)(rearrange(y, "b w h t d -> b w t (h d)"))
end

local function window_attention(name, x, heads, mask)
  local rows = x.shape[2] // WINDOW
  local y = attention(name, windows(x), heads, mask)
  return rearrange(y, "b (y x) (p q) c -> b (y p) (x q) c", { y = rows, p = WINDOW })
end

local function shifted_attention(name, x, heads, mask)
  for axis = 1, 2 do x = roll(x, -SHIFT, { dim = axis }) end
  x = window_attention(name, x, heads, mask)
  for axis = 1, 2 do x = roll(x, SHIFT, { dim = axis }) end
  return x
end

local function block(name, x, heads, mask)
  local c = x.shape[4]
  local norm1 = nn.layer_norm(name .. ".norm1", c)
  local attend = mask and shifted_attention or window_attention
  x = x + norm1(attend(name .. ".attn", x, heads, mask))
  local norm2 = nn.layer_norm(name .. ".norm2", c)
  local h = gelu(nn.linear(name .. ".mlp.fc1", c, 4 * c)(x))
  return x + norm2(nn.linear(name .. ".mlp.fc2", 4 * c, c)(h))
end

-- Four neighbours side by side, down the columns first.
local function merge(name, x)
  local c = x.shape[4]
  x = rearrange(x, "b (y p) (x q) c -> b y x (q p c)", { p = 2, q = 2 })
  x = nn.linear(name .. ".reduction", 4 * c, 2 * c, { bias = false })(x)
  return nn.layer_norm(name .. ".norm", 2 * c)(x)
end

local function stage(name, x, depth, heads)
  local side = x.shape[2]
  local mask = side > WINDOW and roll_mask(side) or nil
  for i = 0, depth - 1 do
    x = block(name .. ".blocks." .. i, x, heads, i % 2 == 1 and mask or nil)
  end
  return x
end

local x = input("x", f32, { B, 3, S, S })
output("logits", lib "swin" (x, stage, merge))
