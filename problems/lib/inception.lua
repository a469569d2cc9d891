-- SPDX-License-Identifier: MIT
-- GoogLeNet's inception module without activations: 1 x 1, 3 x 3, 5 x 5 windows and a pool side by
-- side. name ends in a dot or is empty; D divides the six widths; gain is nn.conv2d's.
return function(name, x, widths, gain)
  local w1, reduce3, w3, reduce5, w5, projection = unpack(widths)
  local function conv(branch, y, width, k)
    local window = { k = k, pad = k // 2, gain = gain }
    return nn.conv2d(name .. branch, y.shape[2], width // D, window)(y)
  end
  local direct = conv("branch1x1", x, w1, 1)
  local three = conv("branch3x3.1", conv("branch3x3.0", x, reduce3, 1), w3, 3)
  local five = conv("branch5x5.1", conv("branch5x5.0", x, reduce5, 1), w5, 5)
  local pooled = max_pool(x, { k = 3, stride = 1, pad = 1 })
  pooled = conv("branch_pool.1", pooled, projection, 1)
  return concat({ direct, three, five, pooled }, { dim = 1 })
end
