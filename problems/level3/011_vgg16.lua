problem { "VGG-16", level = 3, id = 11,
          repaired = "gain sqrt(6): PyTorch's init left 3e-7 of the input, the rest was biases" }
sizes { full = { B = 10, S = 224, C0 = 64, H = 4096, CLASSES = 1000 },
        medium = { B = 2, S = 32, C0 = 4, H = 64, CLASSES = 16 },
        small = { B = 16, S = 32, C0 = 4, H = 64, CLASSES = 16 } }
-- The published constructor has no argument for other widths.
if C0 == 64 then init(CLASSES) end

local x = input("x", f32, { B, 3, S, S })
output("logits", lib "vgg" (x, { 2, 2, 3, 3, 3 }))
