problem { "Kimi Delta Attention, forward", level = "hard", id = 2, mode = "eval",
          repaired = "outputs lay below the tolerance, so that zeros passed, and memory faded within a chunk: "
            .. "outputs are O(1) and much of them is older than a chunk" }
sizes {
  full = { { B = 2, T = 1024, H = 8, K = 128, V = 128 }, { B = 2, T = 2048, H = 8, K = 128, V = 128 },
           { B = 1, T = 4096, H = 8, K = 128, V = 128 }, { B = 1, T = 2048, H = 4, K = 128, V = 128 } },
  small = { { B = 2, T = 128, H = 2, K = 64, V = 64 }, { B = 1, T = 256, H = 3, K = 64, V = 64 } },
}
init(B, T, H, K, V, 64)
-- Per (b, h), from S (K, V) = 0: S = diag(exp(g_t)) S, then S += beta_t k_t (v_t - S^T k_t)^T, and
-- o_t = S^T q_t / sqrt(K). g is the log-decay of one step: it is not cumulated within chunks.
-- Keys of length about 1 forget K / beta steps back. The first law is the published one, with its decay slowed
-- down; in the others beta and decay are so small that all steps count.
local shape = { B, T, H, K }
local key = 1 / sqrt(K)
local q = input("q", bf16, shape, normal(), normal(), spread { scale = 0.5 })
local k = input("k", bf16, shape, normal(0, key), normal(0, key), normal(0, key))
local v = input("v", bf16, { B, T, H, V }, normal(), spread(), normal())
local g = input("g", f32, shape, normal(-0.005, 0.02), uniform(-0.002, 0), uniform(-0.01, 0))
local beta = input("beta", bf16, { B, T, H }, uniform(0, 1), uniform(0, 0.1), uniform(0, 0.4))
output("o", kda(q, k, v, g, beta))
nulls { skip = { scored_rows = "queries and values have rows of their own; keys that had a common location would cancel in "
                   .. "S^T k, and an honest chunk form would be wrong now and then" } }

tolerance { rms = 6, max = 16,
            why = "the chunk form on bf16 tensor cores rounds every factor and the state, 1.9 (rms) and 6.8 (max) "
              .. "at T = 2048" }

local function chunks(n, f) -- f on each of n pieces of time, side by side
  local parts = {}
  for i = 0, n - 1 do
    local function piece(x) return slice(x, 1, i * (T // n), (i + 1) * (T // n)) end
    parts[i + 1] = f(piece)
  end
  return concat(parts, { dim = 1 })
end
null("no_state_between_chunks", chunks(T // 64, function(p) return kda(p(q), p(k), p(v), p(g), p(beta)) end))
null("second_half_forgets", chunks(2, function(p) return kda(p(q), p(k), p(v), p(g), p(beta)) end))
null("decay_ignored", kda(q, k, v, g * 0, beta))
null("beta_ignored", kda(q, k, v, g, beta * 0 + 0.5))
null("nothing_taken_back", kda(q, k * 0.001, v * 1000, g, beta)) -- S^T k counts for nothing: linear attention
null("values_e4m3", kda(q, k, cast(cast(v, f8e4m3), bf16), g, beta))
