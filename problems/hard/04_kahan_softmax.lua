problem { "Softmax over long rows, to the accuracy of a compensated sum", level = "hard", id = 4, mode = "eval",
          repaired = "the tolerance could not see a compensated sum, and nine outputs in ten could be written as 0: "
            .. "rows mix few large terms with many that a plain float sum loses, and errors count relative to the row" }
sizes {
  full = { { B = 32, V = 4096 }, { B = 16, V = 32768 }, { B = 8, V = 131072 }, { B = 4, V = 262144 } },
  small = { { B = 8, V = 2048 }, { B = 4, V = 8192 } },
}
init(B, V)
-- Peaks of equal height h, all else at h - 16.65 - u/5: exp gives 1 and 0.8 to 0.98 times 2^-24, half an ulp of 1.
-- Whatever is added to a running float sum that holds a peak is lost: c terms to a lane lose about c - 1 of them per
-- peak, 0.9 (c - 1) 2^-24 of the row's sum. A compensated sum, or a pairwise one, loses 2^-24 or two.
local x = input("x", f32, { B, V }, normal(0, 4), peaks(64, 16.65), peaks(1024, 16.65), spread())
output("y", softmax(x))
tolerance { sums = "compensated", rms = 3, max = 5,
            why = "what a compensated sum reaches; 16 terms to a plain float lane are 14 x 2^-24 off, a factor of 10" }

local e = exp(x - max(x, { dim = 1, keep = true }))
local function lanes(width)
  local part = sum(reshape(e, { B, V // width, width }), { dim = 2 })
  while part.shape[2] > 1 do part = sum(reshape(part, { B, part.shape[2] // 2, 2 }), { dim = 2 }) end
  return e / part
end
null("lanes_of_16_then_a_tree", lanes(16), { precision = "f32" })
null("lanes_of_64_then_a_tree", lanes(64), { precision = "f32" })
null("small_ones_are_0", where(gt(e, 1e-5), e, 0) / sum(e, { dim = 1, keep = true }))
