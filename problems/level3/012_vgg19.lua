problem { "VGG-19", level = 3, id = 12,
          repaired = "gain sqrt(6): PyTorch's init left 2e-8 of the input, the rest was biases" }
sizes { full = { B = 10, S = 224, C0 = 64, H = 4096, CLASSES = 1000 },
        small = { B = 16, S = 32, C0 = 4, H = 64, CLASSES = 16 } }

local x = input("x", f32, { B, 3, S, S })
local place = 0 -- in the Sequential: a convolution and its relu take two, a pool one
for _, stage in ipairs { { 2, C0 }, { 2, 2 * C0 }, { 4, 4 * C0 }, { 4, 8 * C0 }, { 4, 8 * C0 } } do
  local layers, width = unpack(stage)
  for _ = 1, layers do
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
output("logits", linear(6, H, CLASSES)(x))
