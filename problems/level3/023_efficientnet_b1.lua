problem { "EfficientNet-B1, one block a stage, without shortcuts", level = 3, id = 23,
          repaired = "norm biases around 1: around 0, 23 norms amplified rounding 500 times" }
-- D divides every width.
sizes { full = { B = 10, S = 240, D = 1, CLASSES = 1000 },
        medium = { B = 2, S = 112, D = 8, CLASSES = 16 },
        small = { B = 16, S = 32, D = 8, CLASSES = 16 } }
-- The published constructor has no argument for other widths.
if D == 1 then init(CLASSES) end

local conv_bn = lib "conv_bn" { shift = 1 }
local function mbconv(name, x, cout, stride, expand)
  local cin = x.shape[2]
  local hidden = cin * expand
  local window = { k = 3, stride = stride, groups = hidden }
  x = relu6(conv_bn(name .. ".0", name .. ".1", cin, hidden, { k = 1 })(x))
  x = relu6(conv_bn(name .. ".3", name .. ".4", hidden, hidden, window)(x))
  return conv_bn(name .. ".6", name .. ".7", hidden, cout, { k = 1 })(x)
end

local x = input("x", f32, { B, 3, S, S })
x = relu(conv_bn("conv1", "bn1", 3, 32 // D, { k = 3, stride = 2 })(x))
for i, block in ipairs { { 16, 1, 1 }, { 24, 2, 6 }, { 40, 2, 6 }, { 80, 2, 6 }, { 112, 1, 6 },
                         { 192, 2, 6 }, { 320, 1, 6 } } do
  local width, stride, expand = unpack(block)
  x = mbconv("mbconv" .. i, x, width // D, stride, expand)
end
x = relu(conv_bn("conv2", "bn2", 320 // D, 1280 // D, { k = 1 })(x))
output("logits", nn.linear("fc", 1280 // D, CLASSES)(mean(x, { dim = { 2, 3 } })))
