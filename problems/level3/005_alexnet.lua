problem { "AlexNet", level = 3, id = 5,
          repaired = "gain sqrt(6): with PyTorch's init answers to two inputs differed by 6e-4" }
-- D divides every width.
sizes { full = { B = 1024, S = 224, D = 1, CLASSES = 1000 },
        medium = { B = 4, S = 67, D = 16, CLASSES = 20 },
        small = { B = 16, S = 67, D = 16, CLASSES = 20 } }
-- The published constructor has no argument for other widths.
if D == 1 then init(CLASSES) end

local function conv(name, cin, cout, window)
  window.gain = sqrt(6)
  local f = nn.conv2d(name, cin, cout // D, window)
  return function(x) return relu(f(x)) end
end
local function linear(name, inputs, outputs)
  return nn.linear(name, inputs, outputs, { gain = sqrt(6) })
end
local function pool(x) return max_pool(x, { k = 3, stride = 2 }) end

local x = input("x", f32, { B, 3, S, S })
x = pool(conv("conv1", 3, 96, { k = 11, stride = 4, pad = 2 })(x))
x = pool(conv("conv2", 96 // D, 256, { k = 5, pad = 2 })(x))
x = conv("conv3", 256 // D, 384, { k = 3, pad = 1 })(x)
x = conv("conv4", 384 // D, 384, { k = 3, pad = 1 })(x)
x = pool(conv("conv5", 384 // D, 256, { k = 3, pad = 1 })(x))
x = flatten(x, 1)
x = relu(linear("fc1", x.shape[2], 4096 // D)(x))
x = relu(linear("fc2", 4096 // D, 4096 // D)(x))
output("logits", linear("fc3", 4096 // D, CLASSES)(x))
