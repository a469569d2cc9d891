problem { "MLP of three layers", level = 3, id = 1 }
sizes { full = { B = 128, I = 16384, H = 16384, O = 8192 },
        small = { B = 16, I = 128, H = 128, O = 64 } }
init(I, { H, H }, O)

local x = input("x", f32, { B, I })
x = relu(nn.linear("network.0", I, H)(x))
x = relu(nn.linear("network.2", H, H)(x))
output("y", nn.linear("network.4", H, O)(x))
