problem { "Convolution, divide, leaky ReLU", level = 2, id = 71 }
sizes { full = { B = 128, I = 8, O = 64, W = 128 }, small = { B = 2, I = 8, O = 16, W = 26 } }
init(I, O, 3, 2)

local x = input("x", f32, { B, I, W, W })
output("y", leaky_relu(nn.conv2d("conv", I, O, { k = 3 })(x) / 2))
