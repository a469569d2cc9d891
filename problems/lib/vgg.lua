-- SPDX-License-Identifier: MIT
-- VGG of images x: five stages of so many convolutions each, C0 wide at first, and three linear
-- layers, H wide. Gain sqrt(6) keeps the second moment through a relu.
return function(x, stages)
  local place = 0 -- in the Sequential: a convolution and its relu take two, a pool one
  for stage, width in ipairs { C0, 2 * C0, 4 * C0, 8 * C0, 8 * C0 } do
    for _ = 1, stages[stage] do
      local window = { k = 3, pad = 1, gain = sqrt(6) }
      x = relu(nn.conv2d("features." .. place, x.shape[2], width, window)(x))
      place = place + 2
    end
    x = max_pool(x, { k = 2 })
    place = place + 1
  end
  local function linear(name, inputs, outputs)
    return nn.linear("classifier." .. name, inputs, outputs, { gain = sqrt(6) })
  end
  x = flatten(x, 1)
  x = relu(linear(0, x.shape[2], H)(x))
  x = relu(linear(3, H, H)(x))
  return linear(6, H, CLASSES)(x)
end
