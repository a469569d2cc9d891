problem { "Matmul, max pool over pairs of features, sum, scale", level = 2, id = 55 }
sizes { full = { B = 128, I = 32768, O = 32768 }, small = { B = 64, I = 96, O = 80 } }
init(I, O, 2, 0.5)

local x = input("x", f32, { B, I })
local y = nn.linear("matmul", I, O)(x)
y = squeeze(max_pool(unsqueeze(y, 1), { k = 2 }), 1)
output("y", sum(y, { dim = 1 }) * 0.5)
