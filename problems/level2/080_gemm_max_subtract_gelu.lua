problem { "Matmul, max over features, subtract the mean, GELU", level = 2, id = 80,
          repaired = "the mean is taken over the batch: over features, where one is left, the "
            .. "difference was 0",
          foreign = "published candidates take the mean over features, and answer 0" }
sizes { full = { B = 1024, I = 8192, O = 8192 }, small = { B = 64, I = 96, O = 80 } }
init(I, O, 1)

local x = input("x", f32, { B, I })
local y = max(nn.linear("gemm", I, O)(x), { dim = 1, keep = true })
output("y", gelu(y - mean(y, { dim = 0, keep = true })))
