problem { "Convolution, scale, minimum over channels", level = 2, id = 32 }
sizes { full = { B = 64, I = 64, O = 128, W = 256 }, small = { B = 2, I = 8, O = 16, W = 20 } }
init(I, O, 3, 2.0)

local x = input("x", f32, { B, I, W, W })
output("y", min(nn.conv2d("conv", I, O, { k = 3 })(x) * 2, { dim = 1, keep = true }))
