-- SPDX-License-Identifier: MIT
-- ShuffleNet's unit: grouped convolutions around a depthwise one, a channel shuffle, and a shortcut
-- that is projected where the width changes. name ends in a dot or is empty.
local GROUPS = 3
local conv_bn = lib "conv_bn" {}

return function(name, x, cout)
  local cin, middle = x.shape[2], cout // 4
  local function part(n, from, to, window)
    return conv_bn(name .. "conv" .. n, name .. "bn" .. n, from, to, window)
  end
  local y = relu(part(1, cin, middle, { k = 1, groups = GROUPS })(x))
  y = part(2, middle, middle, { k = 3, groups = middle })(y)
  y = rearrange(y, "b (g c) h w -> b (c g) h w", { g = GROUPS })
  y = relu(part(3, middle, cout, { k = 1, groups = GROUPS })(y))
  if cin == cout then return y + x end
  return y + conv_bn(name .. "shortcut.0", name .. "shortcut.1", cin, cout, { k = 1 })(x)
end
