problem { "Convolution, GELU, global average pool", level = 2, id = 67,
          repaired = "rows have their own location and scale: on U[0,1) each channel's mean was "
            .. "the same to 1e-4 for any input" }
sizes { full = { B = 128, I = 8, O = 64, W = 256 }, small = { B = 4, I = 8, O = 16, W = 18 } }
init(I, O, 3)

local x = input("x", f32, { B, I, W, W })
output("y", mean(gelu(nn.conv2d("conv", I, O, { k = 3 })(x)), { dim = { 2, 3 } }))
