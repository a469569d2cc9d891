problem { "ShuffleNet, without strides in the stages", level = 3, id = 26 }
sizes { full = { B = 10, S = 224, STEM = 24, C = 240, LAST = 1024, CLASSES = 1000 },
        small = { B = 16, S = 24, STEM = 6, C = 24, LAST = 64, CLASSES = 16 } }

local GROUPS = 3
local function conv_bn(conv, bn, cin, cout, window)
  window.bias = false
  local f = nn.conv2d(conv, cin, cout, window)
  local norm = nn.batch_norm(bn, cout)
  return function(x) return norm(f(x)) end
end
local function unit(name, x, cout)
  local cin, middle = x.shape[2], cout // 4
  local function part(n, from, to, window)
    return conv_bn(name .. ".conv" .. n, name .. ".bn" .. n, from, to, window)
  end
  local y = relu(part(1, cin, middle, { k = 1, groups = GROUPS })(x))
  y = part(2, middle, middle, { k = 3, pad = 1, groups = middle })(y)
  y = rearrange(y, "b (g c) h w -> b (c g) h w", { g = GROUPS })
  y = relu(part(3, middle, cout, { k = 1, groups = GROUPS })(y))
  if cin == cout then return y + x end
  return y + conv_bn(name .. ".shortcut.0", name .. ".shortcut.1", cin, cout, { k = 1 })(x)
end

local x = input("x", f32, { B, 3, S, S })
x = relu(conv_bn("conv1", "bn1", 3, STEM, { k = 3, stride = 2, pad = 1 })(x))
x = max_pool(x, { k = 3, stride = 2, pad = 1 })
for stage, units in ipairs { 3, 7, 3 } do
  for i = 0, units - 1 do
    x = unit("stage" .. stage + 1 .. "." .. i, x, C << stage - 1)
  end
end
x = relu(conv_bn("conv5", "bn5", 4 * C, LAST, { k = 1 })(x))
output("logits", nn.linear("fc", LAST, CLASSES)(mean(x, { dim = { 2, 3 } })))
