problem { "Convolution, 2-D, 11 x 11, stride 4: AlexNet's first layer", level = 1, id = 50 }
sizes { full = { B = 256, C = 3, W = 224, O = 96 }, small = { B = 2, C = 3, W = 67, O = 16 } }
-- The published constructor takes a number of classes, which nothing uses; 96 channels are fixed.
if O == 96 then init(1000) end

local x = input("x", f32, { B, C, W, W })
output("y", nn.conv2d("conv1", C, O, { k = 11, stride = 4, pad = 2 })(x))
