problem { "Cumulative product along rows", level = 1, id = 90,
          repaired = "factors lie near 1 or -1: products of U[0,1) were 0 after 126 columns" }
sizes { full = { B = 32768, N = 32768 }, small = { B = 32, N = 512 } }
init(1)

-- 32768 factors of 1 +- 1 % reach from e^-8 to e^5. Rows with a mean of their own stay closer to 1: N factors of
-- 1 + 6/N make e^6.
local x = input("x", f32, { B, N }, normal(1, 0.01), normal(-1, 0.01), uniform(0.99, 1.01), bands(1 - 8 / N, 1 + 8 / N))
output("y", cumprod(x, { dim = 1 }))
