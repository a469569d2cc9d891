problem { "DenseNet's dense block of six layers", level = 3, id = 14 }
sizes { full = { B = 10, I = 32, G = 32, S = 224 }, small = { B = 2, I = 8, G = 8, S = 16 } }
init(6, I, G)

local x = input("x", f32, { B, I, S, S })
for i = 0, 5 do
  local name, c = "layers." .. i, I + i * G
  local y = relu(nn.batch_norm(name .. ".0", c)(x))
  y = nn.conv2d(name .. ".2", c, G, { k = 3, pad = 1, bias = false })(y)
  x = concat({ x, y }, { dim = 1 })
end
output("y", x)
