problem { "ShuffleNet's unit: grouped convolutions and a channel shuffle", level = 3, id = 25 }
sizes { full = { B = 10, I = 240, O = 480, S = 224 }, small = { B = 2, I = 24, O = 48, S = 16 } }

local GROUPS, middle = 3, O // 4
local function conv_bn(conv, bn, cin, cout, window)
  window.bias = false
  local f = nn.conv2d(conv, cin, cout, window)
  local norm = nn.batch_norm(bn, cout)
  return function(x) return norm(f(x)) end
end

local x = input("x", f32, { B, I, S, S })
local y = relu(conv_bn("conv1", "bn1", I, middle, { k = 1, groups = GROUPS })(x))
y = conv_bn("conv2", "bn2", middle, middle, { k = 3, pad = 1, groups = middle })(y)
y = rearrange(y, "b (g c) h w -> b (c g) h w", { g = GROUPS })
y = relu(conv_bn("conv3", "bn3", middle, O, { k = 1, groups = GROUPS })(y))
output("y", y + conv_bn("shortcut.0", "shortcut.1", I, O, { k = 1 })(x))
