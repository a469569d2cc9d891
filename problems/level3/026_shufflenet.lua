problem { "ShuffleNet, without strides in the stages", level = 3, id = 26 }
sizes { full = { B = 10, S = 224, STEM = 24, C = 240, LAST = 1024, CLASSES = 1000 },
        medium = { B = 4, S = 24, STEM = 6, C = 24, LAST = 64, CLASSES = 16 },
        small = { B = 16, S = 24, STEM = 6, C = 24, LAST = 64, CLASSES = 16 } }
-- The published constructor has no argument for other widths.
if LAST == 1024 then init(CLASSES) end

local conv_bn, unit = lib "conv_bn" {}, lib "shuffle_unit"

local x = input("x", f32, { B, 3, S, S })
x = relu(conv_bn("conv1", "bn1", 3, STEM, { k = 3, stride = 2 })(x))
x = max_pool(x, { k = 3, stride = 2, pad = 1 })
for stage, units in ipairs { 3, 7, 3 } do
  for i = 0, units - 1 do
    x = unit("stage" .. stage + 1 .. "." .. i .. ".", x, C << stage - 1)
  end
end
x = relu(conv_bn("conv5", "bn5", 4 * C, LAST, { k = 1 })(x))
output("logits", nn.linear("fc", LAST, CLASSES)(mean(x, { dim = { 2, 3 } })))
