problem { "Transposed convolution, multiply, mean over space, twice", level = 2, id = 44,
          repaired = "x is signed and its mean not 0: on U[0,1) a channel was constant to 3e-5",
          algebra = "the mean over space needs the sums of x, corrected at the borders, only" }
sizes { full = { B = 16, I = 64, O = 128, W = 128 }, small = { B = 4, I = 16, O = 16, W = 8 } }
init(I, O, 3, 2, 1, 1, 0.5)

local x = input("x", f32, { B, I, W, W }, spread(), normal(1, 1), heavy(), needle())
local up = { k = 3, stride = 2, pad = 1, output_pad = 1 }
local y = nn.conv_transpose2d("conv_transpose", I, O, up)(x) * 0.5
local space = { dim = { 2, 3 }, keep = true }
output("y", mean(mean(y, space), space))
