problem { "Transposed convolution, 3-D, 3 x 3 x 3, strided, padded", level = 1, id = 73 }
sizes { full = { B = 4, C = 32, D = 32, H = 64, W = 128 },
        small = { B = 2, C = 16, D = 3, H = 5, W = 12 } }
init(C, C, 3, 2, 1, 4)

-- Published as grouped, but the groups never reached the layer: there are none.
local x = input("x", f32, { B, C, D, H, W })
local conv = nn.conv_transpose3d("conv_transpose3d", C, C,
  { k = 3, stride = 2, pad = 1, bias = false })
output("y", conv(x))
