problem { "ResNet's basic block, projected shortcut", level = 3, id = 8 }
sizes { full = { B = 10, S = 224, C = 64 }, small = { B = 2, S = 24, C = 16 } }

local function conv_bn(conv, bn, cin, k)
  local f = nn.conv2d(conv, cin, C, { k = k, pad = k // 2, bias = false })
  local norm = nn.batch_norm(bn, C)
  return function(x) return norm(f(x)) end
end

local x = input("x", f32, { B, 3, S, S })
local y = relu(conv_bn("conv1", "bn1", 3, 3)(x))
y = conv_bn("conv2", "bn2", C, 3)(y)
output("y", relu(y + conv_bn("downsample.0", "downsample.1", 3, 1)(x)))
