problem { "Gemm, divide, sum over features, scale", level = 2, id = 14,
          algebra = "the sum of x W' over features is x times the column sums of W" }
sizes { full = { B = 1024, I = 8192, O = 8192 }, small = { B = 64, I = 96, O = 80 } }
init(I, O, 1.5)

local x = input("x", f32, { B, I })
local weight = param("weight", f32, { O, I }, normal())
local y = matmul(x, weight, { trans_b = true }) / 2
output("y", sum(y, { dim = 1, keep = true }) * 1.5)
