problem { "ResNet-18", level = 3, id = 9 }
sizes { full = { B = 2, S = 224, C0 = 64, CLASSES = 1000 },
        medium = { B = 2, S = 128, C0 = 2, CLASSES = 16 },
        small = { B = 16, S = 32, C0 = 8, CLASSES = 16 } }
-- The published constructor has no argument for other widths.
if C0 == 64 then init(CLASSES) end

local resnet, conv_bn = lib "resnet", lib "conv_bn" {}

local function block(name, x, width, stride)
  local cin = x.shape[2]
  local a = conv_bn(name .. "conv1", name .. "bn1", cin, width, { k = 3, stride = stride })
  local b = conv_bn(name .. "conv2", name .. "bn2", width, width, { k = 3 })
  local down = resnet.shortcut(conv_bn, name, cin, width, stride)
  return relu(b(relu(a(x))) + down(x))
end

local x = input("x", f32, { B, 3, S, S })
output("logits", resnet.net(conv_bn, block, x, { 2, 2, 2, 2 }))
