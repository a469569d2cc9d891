problem { "SqueezeNet", level = 3, id = 18,
          repaired = "gain sqrt(6): PyTorch's init left 8e-9 of the input, the rest was biases" }
-- D divides every width.
sizes { full = { B = 64, S = 512, D = 1, CLASSES = 1000 },
        medium = { B = 4, S = 39, D = 8, CLASSES = 16 },
        small = { B = 16, S = 39, D = 8, CLASSES = 16 } }
-- The published constructor has no argument for other widths.
if D == 1 then init(CLASSES) end

local module = lib "fire"
local function fire(place, x, squeeze, expand)
  return module("features." .. place .. ".", x, squeeze // D, expand // D, sqrt(6))
end
local function conv(name, cin, cout, k, stride)
  local f = nn.conv2d(name, cin, cout, { k = k, stride = stride, gain = sqrt(6) })
  return function(x) return relu(f(x)) end
end
local function pool(x) return max_pool(x, { k = 3, stride = 2, ceil = true }) end

local x = input("x", f32, { B, 3, S, S })
x = pool(conv("features.0", 3, 96 // D, 7, 2)(x))
x = fire(3, x, 16, 64)
x = fire(4, x, 16, 64)
x = pool(fire(5, x, 32, 128))
x = fire(7, x, 32, 128)
x = fire(8, x, 48, 192)
x = fire(9, x, 48, 192)
x = pool(fire(10, x, 64, 256))
x = fire(12, x, 64, 256)
x = conv("classifier.1", 512 // D, CLASSES, 1, 1)(x)
output("logits", mean(x, { dim = { 2, 3 } }))
