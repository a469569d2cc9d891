problem { "GoogLeNet (Inception v1), without activations inside of the modules", level = 3, id = 7,
          repaired = "gains keep the second moment: PyTorch's init left 4e-6 of the input" }
-- D divides every width.
sizes { full = { B = 10, S = 224, D = 1, CLASSES = 1000 },
        medium = { B = 1, S = 64, D = 8, CLASSES = 16 },
        small = { B = 16, S = 32, D = 8, CLASSES = 16 } }
-- The published constructor has no argument for other widths.
if D == 1 then init(CLASSES) end

local function conv(name, cin, width, k, stride)
  local window = { k = k, stride = stride, pad = k // 2, gain = sqrt(6) }
  local f = nn.conv2d(name, cin, width // D, window)
  return function(x) return relu(f(x)) end
end
local function pool(x) return max_pool(x, { k = 3, stride = 2, pad = 1 }) end

-- Without activations sqrt(3) is the gain that keeps the second moment.
local module = lib "inception"
local function inception(name, x, widths) return module(name .. ".", x, widths, sqrt(3)) end

local x = input("x", f32, { B, 3, S, S })
x = pool(conv("conv1", 3, 64, 7, 2)(x))
x = conv("conv2", 64 // D, 64, 1, 1)(x)
x = pool(conv("conv3", 64 // D, 192, 3, 1)(x))
x = inception("inception3a", x, { 64, 96, 128, 16, 32, 32 })
x = inception("inception3b", x, { 128, 128, 192, 32, 96, 64 })
x = pool(x)
x = inception("inception4a", x, { 192, 96, 208, 16, 48, 64 })
x = inception("inception4b", x, { 160, 112, 224, 24, 64, 64 })
x = inception("inception4c", x, { 128, 128, 256, 24, 64, 64 })
x = inception("inception4d", x, { 112, 144, 288, 32, 64, 64 })
x = inception("inception4e", x, { 256, 160, 320, 32, 128, 128 })
x = pool(x)
x = inception("inception5a", x, { 256, 160, 320, 32, 128, 128 })
x = inception("inception5b", x, { 384, 192, 384, 48, 128, 128 })
x = mean(x, { dim = { 2, 3 } })
output("logits", nn.linear("fc", 1024 // D, CLASSES, { gain = sqrt(3) })(x))
