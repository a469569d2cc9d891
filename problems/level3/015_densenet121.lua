problem { "DenseNet-121, without bottlenecks", level = 3, id = 15 }
sizes { full = { B = 10, S = 224, G = 32, CLASSES = 10 },
        small = { B = 16, S = 32, G = 2, CLASSES = 16 } }

local blocks = { 6, 12, 24, 16 }
local function bn_conv(bn, conv, cin, cout, k)
  local norm = nn.batch_norm(bn, cin)
  local f = nn.conv2d(conv, cin, cout, { k = k, pad = k // 2, bias = false })
  return function(x) return f(relu(norm(x))) end
end

local x = input("x", f32, { B, 3, S, S })
local stem = nn.conv2d("features.0", 3, 2 * G, { k = 7, stride = 2, pad = 3, bias = false })
local stem_norm = nn.batch_norm("features.1", 2 * G)

-- The published module owns all dense layers first, then all transitions.
local dense, transition, c = {}, {}, 2 * G
for b, layers in ipairs(blocks) do
  dense[b] = {}
  for i = 1, layers do
    local name = "dense_blocks." .. b - 1 .. ".layers." .. i - 1
    dense[b][i] = bn_conv(name .. ".0", name .. ".2", c, G, 3)
    c = c + G
  end
  if b < #blocks then c = c // 2 end
end
local last = c
c = 2 * G
for b = 1, #blocks - 1 do
  local name = "transition_layers." .. b - 1 .. ".transition"
  c = c + blocks[b] * G
  transition[b] = bn_conv(name .. ".0", name .. ".2", c, c // 2, 1)
  c = c // 2
end

x = max_pool(relu(stem_norm(stem(x))), { k = 3, stride = 2, pad = 1 })
for b = 1, #blocks do
  for _, layer in ipairs(dense[b]) do x = concat({ x, layer(x) }, { dim = 1 }) end
  if transition[b] then x = avg_pool(transition[b](x), { k = 2 }) end
end
x = mean(relu(nn.batch_norm("final_bn", last)(x)), { dim = { 2, 3 } })
output("logits", nn.linear("classifier", last, CLASSES)(x))
