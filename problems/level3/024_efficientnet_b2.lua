problem { "EfficientNet-B2, gates not multiplied back", level = 3, id = 24,
          repaired = "batch 32, open gates, norm biases around 1: norms of 2 values were chaos" }
-- D divides every width.
sizes { full = { B = 32, S = 224, D = 1, CLASSES = 1000 },
        medium = { B = 32, S = 16, D = 8, CLASSES = 16 },
        small = { B = 32, S = 16, D = 4, CLASSES = 16 } }
-- The published constructor has no argument for other widths.
if D == 1 then init(CLASSES) end

local function conv(name, cin, cout, window)
  window.bias = false
  return nn.conv2d(name, cin, cout, window)
end
local function norm(name, width) return nn.batch_norm(name, width, { shift = 1 }) end
-- What is squeezed is positive: a positive mean of the weights keeps most gates open.
local function squeeze_weight(name, cin, cout)
  return param(name .. ".weight", f32, { cout, cin, 1, 1 }, normal(1 / cin, 1 / sqrt(cin)))
end

-- The squeeze leaves one pixel, so from the second block on a 3 x 3 window sees its centre only.
local function mbconv(name, x, cout, stride, expand)
  local cin = x.shape[2]
  local hidden = cin * expand
  local narrow = hidden // 4
  x = conv(name .. 0, cin, hidden, { k = 1 })(x)
  x = relu(norm(name .. 1, hidden)(x))
  x = conv(name .. 3, hidden, hidden, { k = 3, stride = stride, pad = 1, groups = hidden })(x)
  x = adaptive_avg_pool(relu(norm(name .. 4, hidden)(x)))
  x = relu(conv2d(x, squeeze_weight(name .. 7, hidden, narrow)))
  x = sigmoid(conv(name .. 9, narrow, hidden, { k = 1 })(x))
  x = conv(name .. 11, hidden, cout, { k = 1 })(x)
  return norm(name .. 12, cout)(x)
end

-- Rows with a location of their own, only: the squeeze averages whole images, and the more alike
-- those are, the more of what the norms magnify is rounding.
local x = input("x", f32, { B, 3, S, S }, spread(), heavy())
x = conv("conv1", 3, 32 // D, { k = 3, stride = 2, pad = 1 })(x)
x = relu(norm("bn1", 32 // D)(x))
for i, block in ipairs {
  { 96, 1, 3 }, { 144, 2, 6 }, { 192, 2, 6 }, { 288, 2, 6 }, { 384, 1, 6 },
} do
  local width, stride, expand = unpack(block)
  x = mbconv("mbconv" .. i .. ".", x, width // D, stride, expand)
end
x = conv("conv_final", 384 // D, 1408 // D, { k = 1 })(x)
x = relu(norm("bn_final", 1408 // D)(x))
output("logits", nn.linear("fc", 1408 // D, CLASSES)(mean(x, { dim = { 2, 3 } })))
