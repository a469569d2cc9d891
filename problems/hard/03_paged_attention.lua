problem { "Paged attention, decode", level = "hard", id = 3, mode = "eval",
          repaired = "outputs lay below the tolerance and scores hardly differed, so that zeros and the mean of V passed, "
            .. "and lengths were never ragged: scores spread over several units, checks have ragged lengths, "
            .. "and pages that no sequence uses hold NaN" }
sizes {
  full = { { B = 8, H = 32, HKV = 8, D = 128, L = 1024, P = 16 }, { B = 32, H = 32, HKV = 8, D = 128, L = 2048, P = 16 },
           { B = 4, H = 64, HKV = 8, D = 128, L = 4096, P = 16 }, { B = 16, H = 32, HKV = 8, D = 128, L = 1535, P = 16 },
           { B = 8, H = 16, HKV = 4, D = 64, L = 2000, P = 16 } },
  medium = { { B = 8, H = 4, HKV = 2, D = 32, L = 1000, P = 16 }, { B = 3, H = 6, HKV = 2, D = 16, L = 4500, P = 16 } },
  small = { { B = 8, H = 4, HKV = 2, D = 32, L = 100, P = 16 }, { B = 3, H = 6, HKV = 2, D = 16, L = 64, P = 16 } },
}
init(B, H, HKV, D, L, P)
-- Token t of sequence b lies in slot t % P of page block_table[b][t / P]: K and V side by side. Query head h reads
-- kv head h / (H / HKV). Entries behind the end of a sequence name pages that nobody uses.
local PPS = (L + P - 1) // P        -- pages of a sequence
local LIVE = B * PPS
local PAGES = LIVE + LIVE // 8 + 9  -- every ninth is dead
local query = input("query", bf16, { B, H, D }, normal(0, 2), normal(0, 2), spread(), spread())
local kv_cache = input("kv_cache", bf16, { PAGES, P, HKV, 2 * D },
  paged(P * HKV, 0.5, 1), paged(P * HKV, 0.5, 1), paged(P * HKV), paged(P * HKV)) -- 1: tokens have scales of their own
local block_table = input("block_table", i32, { B, PPS }, pages(LIVE, P), check_only(pages(LIVE, P, L)))
local seq_lens = input("seq_lens", i32, { B }, constant(L), check_only(lengths(L, P)))

local T, G = PPS * P, H // HKV
local seen = lt(iota({ B, T }, i32, 1), unsqueeze(seq_lens, 1))

-- What is behind the end is NaN in places: it must not even be multiplied by 0.
local function tokens(pages, seen)
  local x = reshape(gather(kv_cache, pages), { B, T, HKV, 2 * D })
  return where(reshape(seen, { B, T, 1, 1 }), x, 0)
end
local function attend(q, x, seen)
  local k, v = split(permute(x, { 0, 2, 1, 3 }), 2, { dim = 3 })
  local s = matmul(reshape(q, { B, HKV, G, D }), k, { trans_b = true }) / sqrt(D)
  s = where(reshape(seen, { B, 1, 1, T }), s, -math.huge)
  return reshape(matmul(softmax(s), v), { B, H, D })
end
local kv = tokens(block_table, seen)
output("out", attend(query, kv, seen))

-- K and V once, the table and lengths, query and out. Dead pages are not read.
cost { flops = 4 * B * H * L * D, type = bf16,
       bytes = 2 * B * L * HKV * D * 2 + 4 * LIVE + 4 * B + 2 * B * H * D * 2 }

null("mean_of_v", attend(query * 0, kv, seen))
null("all_kv_heads_the_first", attend(query, expand(slice(kv, 2, 0, 1), { B, T, HKV, 2 * D }), seen))
local function shorter(by) return lt(iota({ B, T }, i32, 1), unsqueeze(maximum(seq_lens - by, 1), 1)) end
local all = ge(iota({ B, T }, i32, 1), 0)
null("lengths_ignored", attend(query, tokens(block_table, all), all))
null("last_page_missed", attend(query, kv, shorter(P)))
null("last_token_missed", attend(query, kv, shorter(1)))
null("pages_in_order", attend(query, tokens(iota({ B, PPS }, i32, 1), seen), seen))
null("kv_e4m3", attend(query, cast(cast(kv, f8e4m3), bf16), seen))
