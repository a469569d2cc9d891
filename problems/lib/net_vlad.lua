-- SPDX-License-Identifier: MIT
-- NetVLAD of x (B, N, D) by K clusters. Ghosts are further clusters, whose share is dropped.
return function(x, ghosts)
  local clusters = param("clusters", f32, { D, K + ghosts }, normal(0, 1 / sqrt(D)))
  local centres = param("clusters2", f32, { 1, D, K }, normal(0, 1 / sqrt(D)))
  local scores = matmul(reshape(x, { B * N, D }), clusters)
  local weights = softmax(nn.batch_norm("batch_norm", K + ghosts)(scores))
  if ghosts > 0 then weights = slice(weights, 1, 0, K) end
  weights = reshape(weights, { B, N, K })
  local vlad = matmul(x, weights, { trans_a = true })
  vlad = vlad - sum(weights, { dim = 1, keep = true }) * centres
  vlad = l2_normalize(vlad, { dim = 1 }) -- each cluster's part, then all of them
  return l2_normalize(flatten(vlad, 1))
end
