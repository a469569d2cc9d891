-- SPDX-License-Identifier: MIT
-- ResNet around blocks of any kind, and their shortcut. conv_bn is lib "conv_bn".
local resnet = {}

-- Around a block; projected where the shape changes. name ends in a dot.
function resnet.shortcut(conv_bn, name, cin, cout, stride)
  if stride == 1 and cin == cout then return function(x) return x end end
  local window = { k = 1, stride = stride }
  return conv_bn(name .. "downsample.0", name .. "downsample.1", cin, cout, window)
end

-- Of images x, stages of so many blocks each: block(name, x, width, stride), C0 wide and twice as
-- wide in each further stage.
function resnet.net(conv_bn, block, x, stages)
  x = relu(conv_bn("conv1", "bn1", 3, C0, { k = 7, stride = 2 })(x))
  x = max_pool(x, { k = 3, stride = 2, pad = 1 })
  for stage, blocks in ipairs(stages) do
    for i = 0, blocks - 1 do
      local stride = stage > 1 and i == 0 and 2 or 1
      x = block("layer" .. stage .. "." .. i .. ".", x, C0 << stage - 1, stride)
    end
  end
  return nn.linear("fc", x.shape[2], CLASSES)(mean(x, { dim = { 2, 3 } }))
end

return resnet
