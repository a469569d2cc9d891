problem { "Scaled dot product attention, heads of 1024", level = 1, id = 97,
          repaired = "scores spread over a few units: on U[0,1) the answer was the mean of V" }
sizes { full = { B = 32, H = 32, T = 512, D = 1024 }, small = { B = 2, H = 3, T = 64, D = 64 } }
init()

-- Scores are sums of D products over sqrt(D): normal rows give deviation 1. The scales keep rows
-- with a location or heavy tails from choosing one key, and a needle's products from vanishing.
local mild, wild = spread { scale = 0.25 }, heavy { scale = 0.5 }
local shape = { B, H, T, D }
local q = input("q", f32, shape, normal(), mild, wild, needle { scale = 16 })
local k = input("k", f32, shape, normal(), mild, wild, normal())
local v = input("v", f32, shape, spread(), normal(), heavy(), normal())
output("y", sdpa(q, k, v))
