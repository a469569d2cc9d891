problem { "DenseNet-121, without bottlenecks", level = 3, id = 15 }
sizes { full = { B = 10, S = 224, G = 32, CLASSES = 10 },
        medium = { B = 2, S = 64, G = 2, CLASSES = 16 },
        small = { B = 16, S = 32, G = 2, CLASSES = 16 } }
-- The published constructor has no argument for other widths.
if G == 32 then init(G, CLASSES) end

local x = input("x", f32, { B, 3, S, S })
output("logits", lib "densenet" (x, { 6, 12, 24, 16 }))
