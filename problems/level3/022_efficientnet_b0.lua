problem { "EfficientNet-B0, without squeeze and excitation", level = 3, id = 22,
          repaired = "norm biases around 1: around 0, 40 norms amplified rounding 1000 times" }
-- D divides every width.
sizes { full = { B = 10, S = 224, D = 1, CLASSES = 1000 },
        medium = { B = 1, S = 128, D = 8, CLASSES = 16 },
        small = { B = 16, S = 32, D = 8, CLASSES = 16 } }
-- The published constructor has no argument for other widths.
if D == 1 then init(CLASSES) end

local conv_bn, mbconv = lib "conv_bn" { shift = 1 }, lib "mbconv"

local x = input("x", f32, { B, 3, S, S })
x = relu(conv_bn("conv1", "bn1", 3, 32 // D, { k = 3, stride = 2 })(x))
for i, block in ipairs {
  { 16, 3, 1, 1 }, { 24, 3, 2, 6 }, { 24, 3, 1, 6 }, { 40, 5, 2, 6 }, { 40, 5, 1, 6 },
  { 80, 3, 2, 6 }, { 80, 3, 1, 6 }, { 112, 5, 1, 6 }, { 112, 5, 1, 6 }, { 192, 5, 2, 6 },
  { 192, 5, 1, 6 }, { 192, 5, 1, 6 }, { 320, 3, 1, 6 },
} do
  local width, k, stride, expand = unpack(block)
  x = mbconv(conv_bn, "blocks." .. i - 1 .. ".", x, width // D, k, stride, expand)
end
x = relu(conv_bn("conv2", "bn2", 320 // D, 1280 // D, { k = 1 })(x))
output("logits", nn.linear("fc", 1280 // D, CLASSES)(mean(x, { dim = { 2, 3 } })))
