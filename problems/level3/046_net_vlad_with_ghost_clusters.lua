problem { "NetVLAD with ghost clusters", level = 3, id = 46,
          repaired = "rows have a scale of their own: on U[0,1) all outputs were 0.0078 +- 0.001" }
sizes { full = { B = 2048, N = 100, D = 512, K = 32, GHOSTS = 16 },
        small = { B = 4, N = 20, D = 64, K = 16, GHOSTS = 16 } }

local x = input("x", f32, { B, N, D })
local clusters = param("clusters", f32, { D, K + GHOSTS }, normal(0, 1 / sqrt(D)))
local centres = param("clusters2", f32, { 1, D, K }, normal(0, 1 / sqrt(D)))
local scores = matmul(reshape(x, { B * N, D }), clusters)
local weights = softmax(nn.batch_norm("batch_norm", K + GHOSTS)(scores))
weights = reshape(slice(weights, 1, 0, K), { B, N, K }) -- the ghosts' share is dropped
local vlad = matmul(x, weights, { trans_a = true })
vlad = vlad - sum(weights, { dim = 1, keep = true }) * centres
vlad = l2_normalize(vlad, { dim = 1 }) -- each cluster's part, then all of them
output("vlad", l2_normalize(flatten(vlad, 1)))
