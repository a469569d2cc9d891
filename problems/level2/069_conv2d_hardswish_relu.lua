problem { "Convolution, hardswish, ReLU", level = 2, id = 69 }
sizes { full = { B = 128, I = 8, O = 64, W = 128 }, small = { B = 2, I = 8, O = 16, W = 26 } }
init(I, O, 3)

local x = input("x", f32, { B, I, W, W })
output("y", relu(hardswish(nn.conv2d("conv", I, O, { k = 3 })(x))))
