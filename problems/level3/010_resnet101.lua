problem { "ResNet-101", level = 3, id = 10,
          repaired = "norm biases are around 1: around 0, a hundred norms amplified rounding 700 times" }
sizes { full = { B = 10, S = 224, C0 = 64, CLASSES = 1000 },
        small = { B = 16, S = 32, C0 = 4, CLASSES = 16 } }

local function conv_bn(conv, bn, cin, cout, k, stride)
  local f = nn.conv2d(conv, cin, cout, { k = k, stride = stride, pad = k // 2, bias = false })
  local norm = nn.batch_norm(bn, cout, { shift = 1 })
  return function(x) return norm(f(x)) end
end
local function bottleneck(name, cin, width, stride)
  local a = conv_bn(name .. ".conv1", name .. ".bn1", cin, width, 1, 1)
  local b = conv_bn(name .. ".conv2", name .. ".bn2", width, width, 3, stride)
  local c = conv_bn(name .. ".conv3", name .. ".bn3", width, 4 * width, 1, 1)
  local down = (stride > 1 or cin ~= 4 * width)
    and conv_bn(name .. ".downsample.0", name .. ".downsample.1", cin, 4 * width, 1, stride)
  return function(x) return relu(c(relu(b(relu(a(x))))) + (down and down(x) or x)) end
end

local x = input("x", f32, { B, 3, S, S })
x = relu(conv_bn("conv1", "bn1", 3, C0, 7, 2)(x))
x = max_pool(x, { k = 3, stride = 2, pad = 1 })
for stage, blocks in ipairs { 3, 4, 23, 3 } do
  for i = 0, blocks - 1 do
    local stride = stage > 1 and i == 0 and 2 or 1
    x = bottleneck("layer" .. stage .. "." .. i, x.shape[2], C0 << stage - 1, stride)(x)
  end
end
output("logits", nn.linear("fc", C0 << 5, CLASSES)(mean(x, { dim = { 2, 3 } })))
