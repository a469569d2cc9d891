problem { "Top-k of each row: values and indices", level = "hard", id = 5, mode = "eval",
          repaired = "repeated indices passed and rows were never anything but normal: indices are judged as well as "
            .. "values (of equal values the lower index comes first), on ties, sorted rows and clustered maxima",
          foreign = "published candidates may order equal values otherwise" }
sizes {
  full = { { B = 1, N = 131072, TOP = 64 }, { B = 64, N = 8192, TOP = 8 }, { B = 32, N = 16384, TOP = 32 },
           { B = 16, N = 12000, TOP = 16 }, { B = 128, N = 4096, TOP = 1 } },
  medium = { { B = 1, N = 524288, TOP = 64 }, { B = 64, N = 8192, TOP = 8 }, { B = 128, N = 4096, TOP = 1 } },
  small = { { B = 1, N = 2048, TOP = 64 }, { B = 16, N = 500, TOP = 8 }, { B = 24, N = 256, TOP = 1 } },
}
init(B, N, TOP)
-- Falling; of equal values the lower index first, so that there is one right answer.
local x = input("x", f32, { B, N }, normal(), spread(), heavy(),
  ties(-40, 40), sorted(1), sorted(-1), cluster(TOP, 8))
local values, indices = topk(x, TOP)
output("values", values)
output("indices", indices)

local function swapped(x, y) -- the other way round of the index: the higher one wins
  local v, i = topk(flip(y, { dim = 1 }), TOP)
  return v, N - 1 - i
end
null("higher_index_wins", swapped(x, x))
null("last_sixteenth_unseen", topk(slice(x, 1, 0, N - N // 16), TOP))

-- Twelve places of a row tell whether it rises, falls or is whole; rows that do are answered without reading on.
-- One spike, or one rare larger number, at a place that nobody can know makes that wrong.
local function row_sniffed()
  local columns = {}
  for i = 0, 11 do
    local at = i * (N - 1) // 11
    columns[i + 1] = slice(x, 1, at, at + 1)
  end
  local seen = concat(columns, { dim = 1 })
  local steps = slice(seen, 1, 1, 12) - slice(seen, 1, 0, 11)
  local rises = gt(min(steps, { dim = 1, keep = true }), 0)
  local falls = lt(max(steps, { dim = 1, keep = true }), 0)
  local whole = eq(max(abs(seen - floor(seen)), { dim = 1, keep = true }), 0)
  local last = flip(slice(x, 1, N - TOP, N), { dim = 1 })
  local at = iota({ B, TOP }, indices.dtype, 1)
  local half_values, half_indices = topk(slice(x, 1, 0, N // 2), TOP)
  local function answer(all, half, first, last)
    return where(rises, last, where(falls, first, where(whole, half, all)))
  end
  return answer(values, half_values, slice(x, 1, 0, TOP), last), answer(indices, half_indices, at, N - 1 - at)
end
null("row_sniffed", row_sniffed())
null("one_place_off", values, minimum(indices + 1, N - 1))
