problem { "Transposed convolution, scale, batch norm, global average pool", level = 2, id = 77,
          repaired = "rows have their own location, norm weights and biases are random: the means "
            .. "were about 0.004, and zeros passed" }
sizes { full = { B = 16, I = 64, O = 128, D = 16, W = 32 },
        medium = { B = 4, I = 2, O = 8, D = 5, W = 8 },
        small = { B = 4, I = 2, O = 8, D = 2, W = 8 } }
init(I, O, 5, 2.0)

-- No needles: they leave rows of one number, which the bias of a norm can cancel.
local x = input("x", f32, { B, I, D, W, W }, spread(), normal(), heavy())
local y = nn.conv_transpose3d("conv_transpose", I, O, { k = 5 })(x) * 2
output("y", adaptive_avg_pool(nn.batch_norm("batch_norm", O)(y)))
