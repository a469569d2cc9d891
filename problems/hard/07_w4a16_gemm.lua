problem { "GEMM of bf16 activations with int4 weights, group-wise scales and zero points", level = "hard", id = 7,
          mode = "eval",
          repaired = "a bf16 copy of the weights, made once, passed as a fused kernel: weights change from call to call, "
            .. "and scratch memory does not hold such a copy" }
sizes {
  full = { { M = 1, N = 12288, K = 4096 }, { M = 32, N = 12288, K = 4096 }, { M = 256, N = 12288, K = 4096 },
           { M = 1, N = 4096, K = 4096 }, { M = 16, N = 14336, K = 4096 } },
  medium = { { M = 4, N = 640, K = 1024 }, { M = 16, N = 640, K = 256 } },
  small = { { M = 1, N = 256, K = 512 }, { M = 16, N = 128, K = 256 } },
}
init(M, N, K)
local GROUP = 128
-- Byte (i, n) of w_q holds rows 2i (low four bits) and 2i + 1 (high) of column n, unsigned.
local x = input("x", bf16, { M, K }, normal(), spread(), heavy(), needle())
local w_q = param("w_q", u8, { K // 2, N }, ints(0, 256))
local one = 1 / (5 * sqrt(K)) -- q - zero has a deviation of about 5
local scales = param("scales", bf16, { K // GROUP, N }, uniform(one / 2, 2 * one))
local zeros = param("zeros", bf16, { K // GROUP, N }, ints(4, 12))

local function nibbles(w_q)
  local q = cast(w_q, f32)
  local high = floor(q / 16)
  return q - high * 16, high
end
local function weights(low, high, scales, zeros)
  local q = reshape(as(stack({ low, high }, { dim = 1 }), bf16), { K // GROUP, GROUP, N })
  return reshape((q - unsqueeze(zeros, 1)) * unsqueeze(scales, 1), { K, N })
end
local low, high = nibbles(w_q)
output("y", matmul(x, weights(low, high, scales, zeros)))

-- Room for a repacked int4 copy and partial sums, not for one byte per weight.
requires { memory = K * N * 3 // 4 }

null("zero_points_ignored", matmul(x, weights(low, high, scales, zeros * 0 + 8)))
null("nibbles_swapped", matmul(x, weights(high, low, scales, zeros)))
null("one_scale_per_column", matmul(x, weights(low, high, slice(scales, 0, 0, 1), zeros)))
null("half_of_k", matmul(slice(x, 1, 0, K // 2), slice(weights(low, high, scales, zeros), 0, 0, K // 2)))
null("activations_e4m3", matmul(cast(cast(x, f8e4m3), bf16), weights(low, high, scales, zeros)))
