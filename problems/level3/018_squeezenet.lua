problem { "SqueezeNet", level = 3, id = 18,
          repaired = "gain sqrt(6): PyTorch's init left 8e-9 of the input, the rest was biases" }
-- D divides every width.
sizes { full = { B = 64, S = 512, D = 1, CLASSES = 1000 },
        small = { B = 16, S = 39, D = 8, CLASSES = 16 } }

local function conv(name, cin, cout, k, pad, stride)
  local f = nn.conv2d(name, cin, cout, { k = k, stride = stride, pad = pad, gain = sqrt(6) })
  return function(x) return relu(f(x)) end
end
local function fire(place, x, squeeze, expand)
  local name, s, e = "features." .. place, squeeze // D, expand // D
  local squeezed = conv(name .. ".squeeze", x.shape[2], s, 1, 0, 1)(x)
  local one = conv(name .. ".expand1x1", s, e, 1, 0, 1)(squeezed)
  local three = conv(name .. ".expand3x3", s, e, 3, 1, 1)(squeezed)
  return concat({ one, three }, { dim = 1 })
end
local function pool(x) return max_pool(x, { k = 3, stride = 2, ceil = true }) end

local x = input("x", f32, { B, 3, S, S })
x = pool(conv("features.0", 3, 96 // D, 7, 0, 2)(x))
x = fire(3, x, 16, 64)
x = fire(4, x, 16, 64)
x = pool(fire(5, x, 32, 128))
x = fire(7, x, 32, 128)
x = fire(8, x, 48, 192)
x = fire(9, x, 48, 192)
x = pool(fire(10, x, 64, 256))
x = fire(12, x, 64, 256)
x = conv("classifier.1", 512 // D, CLASSES, 1, 0, 1)(x)
output("logits", mean(x, { dim = { 2, 3 } }))
