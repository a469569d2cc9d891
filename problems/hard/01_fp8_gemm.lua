problem { "FP8 GEMM: e4m3 x e4m3 to bf16, one scale per output column", level = "hard", id = 1, mode = "eval",
          repaired = "the weight was bf16 and the advertised tolerance never applied, so that only a bf16 GEMM passed: "
            .. "the weight is e4m3 with an f32 scale per row, outputs are O(1), and the gate admits fp8 tensor cores" }
sizes {
  full = { { M = 4096, N = 4096, K = 4096 }, { M = 4096, N = 4096, K = 4127 },
           { M = 32, N = 8192, K = 8192 }, { M = 4096, N = 14336, K = 4096 } },
  small = { { M = 32, N = 48, K = 128 }, { M = 16, N = 32, K = 127 }, { M = 16, N = 64, K = 512 } },
}
init(M, N, K)
-- y[m][n] = scale[n] * sum over k of x[m][k] * w[n][k]
local x = input("x", f8e4m3, { M, K }, uniform(-4, 4), normal(0, 2), heavy(), needle { scale = 64 })
local w = param("w", f8e4m3, { N, K }, normal(0, 64))
local one = 1 / (128 * sqrt(K)) -- products have a deviation of about 128
local scale = param("scale", f32, { N }, uniform(one / 2, 2 * one))
state { w = "weight", scale = "weight_scale" }

local function scaled(x, w) return as(as(matmul(x, w, { trans_b = true }), f32) * scale, bf16) end
output("y", scaled(x, w))
requires { tensor = "fp8" } -- on cuda: a detour by bf16 is refused

-- Tensor cores of compute capability 9 keep about 14 bits while they add: 13 behind the leading one of the largest
-- term, the rest is cut off. 32 products at a time and never promoted ("fast accumulation") that makes 1.1 (rms) and
-- 3.2 (max) times the unit of a bf16 output at K = 8192 (exemplars/cpu/hard/01_fp8_gemm/fast_accumulation.c): the
-- usual gate of 4 and 8 admits it as it is, and no coarser format.
null("scale_ignored", as(matmul(x, w, { trans_b = true }) * one, bf16))
null("weight_e5m2", scaled(x, cast(cast(w, f8e5m2), f8e4m3)))
null("half_of_k", scaled(slice(x, 1, 0, K // 2), slice(w, 1, 0, K // 2)))
null("last_of_k", scaled(slice(x, 1, 0, K - 1), slice(w, 1, 0, K - 1)))
