problem { "MLP of three layers, wide inside", level = 3, id = 2 }
sizes { full = { B = 128, I = 16384, H = 32768, O = 16384 },
        small = { B = 16, I = 96, H = 192, O = 96 } }
init(I, { H, H }, O)

local x = input("x", f32, { B, I })
x = relu(nn.linear("network.0", I, H)(x))
x = relu(nn.linear("network.2", H, H)(x))
output("y", nn.linear("network.4", H, O)(x))
