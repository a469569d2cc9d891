problem { "Swin MLP", level = 3, id = 29,
          repaired = "norm weights and biases are random: ones and zeros could be left out" }
sizes { full = { B = 10, S = 224, DIM = 96, STAGES = 4, CLASSES = 1000 },
        medium = { B = 1, S = 56, DIM = 18, STAGES = 2, CLASSES = 24 },
        small = { B = 2, S = 56, DIM = 24, STAGES = 2, CLASSES = 24 } }
-- The defaults of the published constructor make the full size.
if STAGES == 4 then init() else init(S, 4, 3, CLASSES, DIM, { 2, 2 }, { 3, 6 }) end

local WINDOW = 7

-- Mixes the pixels of each window, with weights of its own for each head.
local function spatial_mlp(name, x, heads)
  local rows = x.shape[2] // WINDOW
  local lengths = { b = B, y = rows, x = rows, h = heads, p = WINDOW, q = WINDOW }
  local channels = heads * WINDOW * WINDOW
  x = rearrange(x, "b (y p) (x q) (h d) -> (b y x) (h p q) d", lengths)
  x = nn.conv1d(name, channels, channels, { k = 1, groups = heads })(x)
  return rearrange(x, "(b y x) (h p q) d -> b (y p) (x q) (h d)", lengths)
end

-- Windows that start at -4: padded with zeros, cropped again behind it.
local function shifted_mlp(name, x, heads)
  local shift, side = WINDOW // 2, x.shape[2]
  local before = WINDOW - shift
  for axis = 1, 2 do x = pad(x, axis, before, shift) end
  x = spatial_mlp(name, x, heads)
  for axis = 1, 2 do x = slice(x, axis, before, before + side) end
  return x
end

local function block(name, x, heads, shift)
  local c = x.shape[4]
  local mix = shift and shifted_mlp or spatial_mlp
  x = x + mix(name .. ".spatial_mlp", nn.layer_norm(name .. ".norm1", c)(x), heads)
  local h = nn.layer_norm(name .. ".norm2", c)(x)
  h = gelu(nn.linear(name .. ".mlp.fc1", c, 4 * c)(h))
  return x + nn.linear(name .. ".mlp.fc2", 4 * c, c)(h)
end

-- Four neighbours side by side, down the columns first.
local function merge(name, x)
  local c = x.shape[4]
  local reduction = nn.linear(name .. ".reduction", 4 * c, 2 * c, { bias = false })
  x = rearrange(x, "b (y p) (x q) c -> b y x (q p c)", { p = 2, q = 2 })
  return reduction(nn.layer_norm(name .. ".norm", 4 * c)(x))
end

local function stage(name, x, depth, heads)
  for i = 0, depth - 1 do
    x = block(name .. ".blocks." .. i, x, heads, i % 2 == 1 and x.shape[2] > WINDOW)
  end
  return x
end

local x = input("x", f32, { B, 3, S, S })
output("logits", lib "swin" (x, stage, merge))
