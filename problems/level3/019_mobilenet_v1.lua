problem { "MobileNet v1", level = 3, id = 19,
          repaired = "norm biases around 1: around 0, 27 norms amplified rounding 1000 times" }
sizes { full = { B = 10, S = 224, C0 = 32, CLASSES = 1000 },
        medium = { B = 2, S = 128, C0 = 2, CLASSES = 16 },
        small = { B = 16, S = 32, C0 = 4, CLASSES = 16 } }
-- The published pool of 7 x 7 needs images of this size.
if S == 224 then init(CLASSES, 3, C0 / 32) end

local conv_bn = lib "conv_bn" { shift = 1 }
local function conv_bn_relu(name, place, cin, cout, window)
  local f = conv_bn(name .. place, name .. place + 1, cin, cout, window)
  return function(x) return relu(f(x)) end
end

local x = input("x", f32, { B, 3, S, S })
x = conv_bn_relu("model.0.", 0, 3, C0, { k = 3, stride = 2 })(x)
-- Output width in units of C0, and stride: a depthwise convolution and a pointwise one.
for i, block in ipairs { { 2, 1 }, { 4, 2 }, { 4, 1 }, { 8, 2 }, { 8, 1 }, { 16, 2 }, { 16, 1 },
                         { 16, 1 }, { 16, 1 }, { 16, 1 }, { 16, 1 }, { 32, 2 }, { 32, 1 } } do
  local name, cin, cout, stride = "model." .. i .. ".", x.shape[2], block[1] * C0, block[2]
  x = conv_bn_relu(name, 0, cin, cin, { k = 3, stride = stride, groups = cin })(x)
  x = conv_bn_relu(name, 3, cin, cout, { k = 1 })(x)
end
x = avg_pool(x, { k = S // 32 })
output("logits", nn.linear("fc", 32 * C0, CLASSES)(flatten(x, 1)))
