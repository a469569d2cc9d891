-- SPDX-License-Identifier: MIT
-- SqueezeNet's fire module: squeezed to few channels, then expanded by 1 x 1 and 3 x 3 windows side
-- by side. name ends in a dot or is empty; gain is nn.conv2d's.
return function(name, x, squeeze, expand, gain)
  local function conv(label, y, cout, k)
    local window = { k = k, pad = k // 2, gain = gain }
    return relu(nn.conv2d(name .. label, y.shape[2], cout, window)(y))
  end
  local squeezed = conv("squeeze", x, squeeze, 1)
  local one = conv("expand1x1", squeezed, expand, 1)
  local three = conv("expand3x3", squeezed, expand, 3)
  return concat({ one, three }, { dim = 1 })
end
