problem { "GoogLeNet's inception module, without activations", level = 3, id = 6 }
-- D divides every width.
sizes { full = { B = 10, S = 224, D = 1 }, small = { B = 2, S = 16, D = 8 } }

local cin = 480 // D
local function conv(name, inputs, width, k)
  return nn.conv2d(name, inputs, width // D, { k = k, pad = k // 2 })
end

local x = input("x", f32, { B, cin, S, S })
local direct = conv("branch1x1", cin, 192, 1)(x)
local three = conv("branch3x3.0", cin, 96, 1)(x)
three = conv("branch3x3.1", 96 // D, 208, 3)(three)
local five = conv("branch5x5.0", cin, 16, 1)(x)
five = conv("branch5x5.1", 16 // D, 48, 5)(five)
local pooled = max_pool(x, { k = 3, stride = 1, pad = 1 })
pooled = conv("branch_pool.1", cin, 64, 1)(pooled)
output("y", concat({ direct, three, five, pooled }, { dim = 1 }))
