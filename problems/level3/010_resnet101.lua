problem { "ResNet-101", level = 3, id = 10,
          repaired = "norm biases around 1: around 0, 104 norms amplified rounding 700 times" }
sizes { full = { B = 10, S = 224, C0 = 64, CLASSES = 1000 },
        medium = { B = 2, S = 96, C0 = 2, CLASSES = 16 },
        small = { B = 16, S = 32, C0 = 4, CLASSES = 16 } }
-- The published constructor has no argument for other widths.
if C0 == 64 then init({ 3, 4, 23, 3 }, CLASSES) end

local resnet, conv_bn = lib "resnet", lib "conv_bn" { shift = 1 }

local function bottleneck(name, x, width, stride)
  local cin, cout = x.shape[2], 4 * width
  local a = conv_bn(name .. "conv1", name .. "bn1", cin, width, { k = 1 })
  local b = conv_bn(name .. "conv2", name .. "bn2", width, width, { k = 3, stride = stride })
  local c = conv_bn(name .. "conv3", name .. "bn3", width, cout, { k = 1 })
  local down = resnet.shortcut(conv_bn, name, cin, cout, stride)
  return relu(c(relu(b(relu(a(x))))) + down(x))
end

local x = input("x", f32, { B, 3, S, S })
output("logits", resnet.net(conv_bn, bottleneck, x, { 3, 4, 23, 3 }))
