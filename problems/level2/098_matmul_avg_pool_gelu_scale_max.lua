problem { "Matmul, average pool over features, GELU, scale, max", level = 2, id = 98,
          algebra = "averaging 16 features of a matmul is a matmul with 16 rows of the weights "
            .. "averaged, a sixteenth of the products" }
sizes { full = { B = 1024, I = 8192, O = 8192 }, small = { B = 64, I = 64, O = 256 } }
init(I, O, 16, 2.0)

local x = input("x", f32, { B, I })
local y = nn.linear("matmul", I, O)(x)
y = squeeze(avg_pool(unsqueeze(y, 1), { k = 16 }), 1)
output("y", max(gelu(y) * 2, { dim = 1 }))
