problem { "EfficientNet-B0, without squeeze and excitation", level = 3, id = 22,
          repaired = "norm biases are around 1: around 0, 40 norms amplified rounding 1000 times" }
-- D divides every width.
sizes { full = { B = 10, S = 224, D = 1, CLASSES = 1000 },
        small = { B = 16, S = 32, D = 8, CLASSES = 16 } }

local function conv_bn(conv, bn, cin, cout, window)
  window.bias = false
  local f = nn.conv2d(conv, cin, cout, window)
  local norm = nn.batch_norm(bn, cout, { shift = 1 })
  return function(x) return norm(f(x)) end
end
local function mbconv(name, x, cout, k, stride, expand)
  local function part(label, cin, width, window)
    label = name .. "." .. label .. "_conv."
    return conv_bn(label .. 0, label .. 1, cin, width, window)
  end
  local cin, y = x.shape[2], x
  local hidden = cin * expand
  if expand > 1 then y = relu6(part("expand", cin, hidden, { k = 1 })(y)) end
  local window = { k = k, stride = stride, pad = k // 2, groups = hidden }
  y = relu6(part("depthwise", hidden, hidden, window)(y))
  y = part("project", hidden, cout, { k = 1 })(y)
  return stride == 1 and cin == cout and x + y or y
end

local x = input("x", f32, { B, 3, S, S })
x = relu(conv_bn("conv1", "bn1", 3, 32 // D, { k = 3, stride = 2, pad = 1 })(x))
for i, block in ipairs {
  { 16, 3, 1, 1 }, { 24, 3, 2, 6 }, { 24, 3, 1, 6 }, { 40, 5, 2, 6 }, { 40, 5, 1, 6 },
  { 80, 3, 2, 6 }, { 80, 3, 1, 6 }, { 112, 5, 1, 6 }, { 112, 5, 1, 6 }, { 192, 5, 2, 6 },
  { 192, 5, 1, 6 }, { 192, 5, 1, 6 }, { 320, 3, 1, 6 },
} do
  local width, k, stride, expand = unpack(block)
  x = mbconv("blocks." .. i - 1, x, width // D, k, stride, expand)
end
x = relu(conv_bn("conv2", "bn2", 320 // D, 1280 // D, { k = 1 })(x))
output("logits", nn.linear("fc", 1280 // D, CLASSES)(mean(x, { dim = { 2, 3 } })))
