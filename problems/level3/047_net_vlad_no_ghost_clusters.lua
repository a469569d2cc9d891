problem { "NetVLAD without ghost clusters", level = 3, id = 47,
          repaired = "rows have a scale of their own: on U[0,1) all outputs were 0.0078 +- 0.001" }
sizes { full = { B = 2048, N = 100, D = 512, K = 32 }, small = { B = 4, N = 20, D = 64, K = 16 } }

local x = input("x", f32, { B, N, D })
local clusters = param("clusters", f32, { D, K }, normal(0, 1 / sqrt(D)))
local centres = param("clusters2", f32, { 1, D, K }, normal(0, 1 / sqrt(D)))
local scores = matmul(reshape(x, { B * N, D }), clusters)
local weights = reshape(softmax(nn.batch_norm("batch_norm", K)(scores)), { B, N, K })
local vlad = matmul(x, weights, { trans_a = true })
vlad = vlad - sum(weights, { dim = 1, keep = true }) * centres
vlad = l2_normalize(vlad, { dim = 1 }) -- each cluster's part, then all of them
output("vlad", l2_normalize(flatten(vlad, 1)))
