problem { "Top-k of each row: values and indices", level = "hard", id = 5,
          repaired = "repeated indices passed and rows were never anything but normal: indices are judged as well as "
            .. "values (of equal values the lower index comes first), on ties, sorted rows and clustered maxima" }
sizes {
  full = { { B = 1, N = 131072, TOP = 64 }, { B = 64, N = 8192, TOP = 8 }, { B = 32, N = 16384, TOP = 32 },
           { B = 16, N = 12000, TOP = 16 }, { B = 128, N = 4096, TOP = 1 } },
  medium = { { B = 1, N = 524288, TOP = 64 }, { B = 64, N = 8192, TOP = 8 }, { B = 128, N = 4096, TOP = 1 } },
  small = { { B = 1, N = 2048, TOP = 64 }, { B = 16, N = 500, TOP = 8 }, { B = 24, N = 256, TOP = 1 } },
}
-- Falling; of equal values the lower index first, so that there is one right answer.
local x = input("x", f32, { B, N }, normal(), ints(-40, 40), sorted(1), sorted(-1), cluster(TOP, 8))
local values, indices = topk(x, TOP)
output("values", values)
output("indices", indices)

local function swapped(x, y) -- the other way round of the index: the higher one wins
  local v, i = topk(flip(y, { dim = 1 }), TOP)
  return v, N - 1 - i
end
null("higher_index_wins", swapped(x, x))
null("last_sixteenth_unseen", topk(slice(x, 1, 0, N - N // 16), TOP))
null("one_place_off", values, minimum(indices + 1, N - 1))
