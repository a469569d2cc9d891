problem { "RegNet of three stages", level = 3, id = 27 }
sizes { full = { B = 8, S = 224, C0 = 64, CLASSES = 10 },
        medium = { B = 4, S = 32, C0 = 4, CLASSES = 16 },
        small = { B = 16, S = 16, C0 = 8, CLASSES = 16 } }
init(3, 3, { C0, 2 * C0, 4 * C0 }, CLASSES)

local function conv_bn(name, place, cin, cout)
  local conv = nn.conv2d(name .. place, cin, cout, { k = 3, pad = 1 })
  local norm = nn.batch_norm(name .. place + 1, cout)
  return function(x) return relu(norm(conv(x))) end
end

local x = input("x", f32, { B, 3, S, S })
for stage = 0, 2 do
  local name, width = "feature_extractor." .. stage .. ".", C0 << stage
  x = conv_bn(name, 0, x.shape[2], width)(x)
  x = conv_bn(name, 3, width, width)(x)
  x = max_pool(x, { k = 2 })
end
output("logits", nn.linear("fc", C0 << 2, CLASSES)(mean(x, { dim = { 2, 3 } })))
