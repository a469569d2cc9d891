problem { "Convolution, instance norm, divide", level = 2, id = 17 }
sizes { full = { B = 128, I = 64, O = 128, W = 128 }, small = { B = 2, I = 8, O = 16, W = 20 } }
init(I, O, 3, 2.0)

local x = input("x", f32, { B, I, W, W })
output("y", instance_norm(nn.conv2d("conv", I, O, { k = 3 })(x)) / 2)
