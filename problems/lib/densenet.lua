-- SPDX-License-Identifier: MIT
-- DenseNet of images x without bottlenecks: dense blocks of so many layers each. A layer appends G
-- channels to what it sees, 2 * G at first; a transition halves the width and the image.
local function norm_relu_conv(name, cin, cout, k)
  local norm = nn.batch_norm(name .. ".0", cin)
  local f = nn.conv2d(name .. ".2", cin, cout, { k = k, pad = k // 2, bias = false })
  return function(x) return f(relu(norm(x))) end
end

return function(x, blocks)
  local stem = nn.conv2d("features.0", 3, 2 * G, { k = 7, stride = 2, pad = 3, bias = false })
  local stem_norm = nn.batch_norm("features.1", 2 * G)

  -- The published module owns all dense layers first, then all transitions.
  local dense, transition, width, c = {}, {}, {}, 2 * G
  for b, layers in ipairs(blocks) do
    dense[b] = {}
    for i = 1, layers do
      dense[b][i] = norm_relu_conv("dense_blocks." .. b - 1 .. ".layers." .. i - 1, c, G, 3)
      c = c + G
    end
    width[b] = c
    c = c // 2
  end
  for b = 1, #blocks - 1 do
    local name = "transition_layers." .. b - 1 .. ".transition"
    transition[b] = norm_relu_conv(name, width[b], width[b] // 2, 1)
  end

  x = max_pool(relu(stem_norm(stem(x))), { k = 3, stride = 2, pad = 1 })
  for b = 1, #blocks do
    for _, layer in ipairs(dense[b]) do x = concat({ x, layer(x) }, { dim = 1 }) end
    if transition[b] then x = avg_pool(transition[b](x), { k = 2 }) end
  end
  x = mean(relu(nn.batch_norm("final_bn", width[#blocks])(x)), { dim = { 2, 3 } })
  return nn.linear("classifier", width[#blocks], CLASSES)(x)
end
