problem { "Matmul, sum over features, then max, mean and logsumexp of one number", level = 2,
          id = 18,
          algebra = "x times the column sums of W; what follows the sum is the identity" }
sizes { full = { B = 1024, I = 8192, O = 8192 }, small = { B = 64, I = 96, O = 80 } }
init(I, O)

local x = input("x", f32, { B, I })
local row = { dim = 1, keep = true }
local y = sum(nn.linear("linear", I, O)(x), row)
output("y", logsumexp(logsumexp(mean(max(y, row), row), row), row))
