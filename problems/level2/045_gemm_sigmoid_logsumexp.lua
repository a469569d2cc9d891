problem { "Gemm, sigmoid, gemm, logsumexp", level = 2, id = 45,
          repaired = "x is signed, the second gemm has a gain: the answer was 6.97 +- 6e-4" }
sizes { full = { B = 16384, I = 2048, H = 4096, O = 1024 },
        small = { B = 64, I = 64, H = 96, O = 48 } }
init(I, H, O)

local x = input("x", f32, { B, I })
local h = sigmoid(nn.linear("linear1", I, H)(x))
output("y", logsumexp(nn.linear("linear2", H, O, { gain = 8 })(h), { dim = 1 }))
