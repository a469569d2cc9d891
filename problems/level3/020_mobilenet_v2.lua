problem { "MobileNet v2, without shortcuts", level = 3, id = 20,
          repaired = "norm biases around 1: around 0, 52 norms amplified rounding 5000 times" }
-- D divides every width.
sizes { full = { B = 10, S = 224, D = 1, CLASSES = 1000 },
        medium = { B = 1, S = 128, D = 8, CLASSES = 16 },
        small = { B = 16, S = 32, D = 8, CLASSES = 16 } }
-- The published constructor has no argument for other widths.
if D == 1 then init(CLASSES) end

-- Weights as published: kaiming_normal by the fan-out.
local function conv_bn(name, place, cin, cout, k, stride, groups)
  local shape, deviation = { cout, cin // groups, k, k }, sqrt(2 / (cout * k * k))
  local w = param(name .. place .. ".weight", f32, shape, normal(0, deviation))
  local norm = nn.batch_norm(name .. place + 1, cout, { shift = 1 })
  local options = { stride = stride, pad = k // 2, groups = groups }
  return function(x) return norm(conv2d(x, w, nil, options)) end
end
local function inverted(name, x, expand, cout, stride)
  local cin, place = x.shape[2], 0
  local hidden = cin * expand
  if expand > 1 then
    x = relu6(conv_bn(name, 0, cin, hidden, 1, 1, 1)(x))
    place = 3
  end
  x = relu6(conv_bn(name, place, hidden, hidden, 3, stride, hidden)(x))
  return conv_bn(name, place + 3, hidden, cout, 1, 1, 1)(x)
end

local x = input("x", f32, { B, 3, S, S })
x = relu6(conv_bn("features.", 0, 3, 32 // D, 3, 2, 1)(x))
local place = 3
for _, row in ipairs { { 1, 16, 1, 1 }, { 6, 24, 2, 2 }, { 6, 32, 3, 2 }, { 6, 64, 4, 2 },
                       { 6, 96, 3, 1 }, { 6, 160, 3, 2 }, { 6, 320, 1, 1 } } do
  local expand, width, blocks, stride = unpack(row)
  for i = 1, blocks do
    x = inverted("features." .. place .. ".", x, expand, width // D, i == 1 and stride or 1)
    place = place + 1
  end
end
x = relu6(conv_bn("features.", place, 320 // D, 1280 // D, 1, 1, 1)(x))
local w = param("classifier.1.weight", f32, { CLASSES, 1280 // D }, normal(0, 0.01))
local b = param("classifier.1.bias", f32, { CLASSES }, normal(0, 0.01))
output("logits", linear(mean(x, { dim = { 2, 3 } }), w, b))
