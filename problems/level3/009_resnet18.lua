problem { "ResNet-18", level = 3, id = 9 }
sizes { full = { B = 2, S = 224, C0 = 64, CLASSES = 1000 },
        small = { B = 16, S = 32, C0 = 8, CLASSES = 16 } }

local function conv_bn(conv, bn, cin, cout, k, stride)
  local f = nn.conv2d(conv, cin, cout, { k = k, stride = stride, pad = k // 2, bias = false })
  local norm = nn.batch_norm(bn, cout)
  return function(x) return norm(f(x)) end
end
local function block(name, cin, cout, stride)
  local a = conv_bn(name .. ".conv1", name .. ".bn1", cin, cout, 3, stride)
  local b = conv_bn(name .. ".conv2", name .. ".bn2", cout, cout, 3, 1)
  local down = (stride > 1 or cin ~= cout)
    and conv_bn(name .. ".downsample.0", name .. ".downsample.1", cin, cout, 1, stride)
  return function(x) return relu(b(relu(a(x))) + (down and down(x) or x)) end
end

local x = input("x", f32, { B, 3, S, S })
x = relu(conv_bn("conv1", "bn1", 3, C0, 7, 2)(x))
x = max_pool(x, { k = 3, stride = 2, pad = 1 })
for stage = 0, 3 do
  for i = 0, 1 do
    local stride = stage > 0 and i == 0 and 2 or 1
    x = block("layer" .. stage + 1 .. "." .. i, x.shape[2], C0 << stage, stride)(x)
  end
end
output("logits", nn.linear("fc", C0 << 3, CLASSES)(mean(x, { dim = { 2, 3 } })))
