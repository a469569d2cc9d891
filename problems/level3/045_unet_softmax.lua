problem { "U-Net with softmax over the width in place of relu", level = 3, id = 45,
          repaired = "weights behind a softmax are times the width, which it divides by, and norm "
            .. "weights near 0.3: its outputs sank into the norms' epsilon or were one peak a row" }
sizes { full = { B = 8, I = 8, O = 4, H = 64, W = 512, C = 64 },
        medium = { B = 1, I = 8, O = 4, H = 16, W = 64, C = 4 },
        small = { B = 2, I = 8, O = 4, H = 16, W = 128, C = 4 } }
init(I, O, C)

local function conv_norm_softmax(name, i, x, outputs, gain)
  local conv = nn.conv2d(name .. i, x.shape[2], outputs, { k = 3, pad = 1, gain = gain })
  local weight = param(name .. i + 1 .. ".weight", f32, { outputs }, normal(0.3, 0.1))
  local bias = param(name .. i + 1 .. ".bias", f32, { outputs }, normal(0, 0.25))
  return softmax(batch_norm(conv(x), weight, bias))
end

local function double_conv(name, x, outputs, gain)
  local width = x.shape[4]
  x = conv_norm_softmax(name .. ".double_conv.", 0, x, outputs, gain or width)
  return conv_norm_softmax(name .. ".double_conv.", 3, x, outputs, width)
end

local x = input("x", f32, { B, I, H, W })
local skips, c = {}, C
for level = 1, 4 do
  x = double_conv("encoder" .. level, x, c, level == 1 and 1 or nil)
  skips[level] = x
  x, c = max_pool(x, { k = 2 }), 2 * c
end
x = double_conv("bottleneck", x, c)
for level = 4, 1, -1 do
  c = c // 2
  x = nn.conv_transpose2d("upconv" .. level, 2 * c, c, { k = 2, stride = 2 })(x)
  x = double_conv("decoder" .. level, concat({ x, skips[level] }, { dim = 1 }), c)
end
output("y", nn.conv2d("final_conv", C, O, { k = 1, gain = W })(x))
