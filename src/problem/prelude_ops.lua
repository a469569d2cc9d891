-- SPDX-License-Identifier: MIT
-- Second part of the prelude: activations, reductions, norms, contractions, attention, losses.

------------------------------------------------------------------ elementwise

op("relu", "x", "torch.relu($x)", function(x) return maximum(x, 0) end)
op("clamp", "x, lo:number?, hi:number?", "torch.clamp($x, $lo, $hi)", function(x, lo, hi)
  if lo and hi and lo > hi then fail("lo %g is above hi %g", lo, hi) end
  if lo then x = maximum(x, lo) end
  if hi then x = minimum(x, hi) end
  return x
end)
local relu, clamp = lib.relu, lib.clamp

op("relu6", "x", "F.relu6($x)", function(x) return clamp(x, 0, 6) end)
op("hardtanh", "x, lo:number=-1, hi:number=1", "F.hardtanh($x, $lo, $hi)", function(x, lo, hi)
  return clamp(x, lo, hi)
end)
op("hardsigmoid", "x", "F.hardsigmoid($x)", function(x) return clamp(x + 3, 0, 6) / 6 end)
op("hardswish", "x", "F.hardswish($x)", function(x) return x * clamp(x + 3, 0, 6) / 6 end)
op("leaky_relu", "x, slope:number=0.01", "F.leaky_relu($x, $slope)", function(x, slope)
  return where(gt(x, 0), x, x * slope)
end)
-- exp - 1, as PyTorch computes it: against expm1 its cancellation would be called wrong.
op("elu", "x, alpha:number=1", "F.elu($x, $alpha)", function(x, alpha)
  return where(gt(x, 0), x, (exp(minimum(x, 0)) - 1) * alpha)
end)
op("selu", "x", "F.selu($x)", function(x)
  return lib.elu(x, 1.6732632423543772) * 1.0507009873554805
end)
op("sigmoid", "x", "torch.sigmoid($x)", function(x) return 1 / (exp(-x) + 1) end)
op("silu", "x", "F.silu($x)", function(x) return x * lib.sigmoid(x) end)
lib.swish = lib.silu
op("gelu", "x", "F.gelu($x)", function(x)
  return x * 0.5 * (node("erf", nil, x * 0.7071067811865476) + 1)
end)
op("gelu_tanh", "x", 'F.gelu($x, approximate="tanh")', function(x)
  return x * 0.5 * (tanh((x + x * x * x * 0.044715) * 0.7978845608028654) + 1)
end)
-- Linear above 20; minimum keeps exp of the unused side finite.
op("softplus", "x", "F.softplus($x)", function(x)
  return where(gt(x, 20), x, log1p(exp(minimum(x, 20))))
end)
op("mish", "x", "F.mish($x)", function(x) return x * tanh(lib.softplus(x)) end)
op("softsign", "x", "F.softsign($x)", function(x) return x / (abs(x) + 1) end)
op("sign", "x", "torch.sign($x)", function(x)
  return cast(gt(x, 0), x.dtype) - cast(lt(x, 0), x.dtype)
end)
op("rsqrt", "x", "torch.rsqrt($x)", function(x) return 1 / sqrt(x) end)
op("square", "x", "torch.square($x)", function(x) return x * x end)

------------------------------------------------------------------ reductions

op("mean", "x, {dim:axes, keep:flag=false}", "torch.mean($x, dim=$dim, keepdim=$keep)",
  function(x, o) return sum(x, o) / count_of(x, o.dim) end)
local mean = lib.mean

-- Two passes, biased as in the norms; correction = 1 divides by n - 1.
op("var", "x, {dim:axes, keep:flag=false, correction:number=0}",
  "torch.var($x, dim=$dim, correction=$correction, keepdim=$keep)",
  function(x, o)
    local d = x - mean(x, { dim = o.dim, keep = true })
    return sum(d * d, { dim = o.dim, keep = o.keep }) / (count_of(x, o.dim) - o.correction)
  end)
op("std", "x, {dim:axes, keep:flag=false, correction:number=0}",
  "torch.std($x, dim=$dim, correction=$correction, keepdim=$keep)",
  function(x, o) return sqrt(lib.var(x, o)) end)
op("norm", "x, {dim:axes, keep:flag=false}",
  "torch.linalg.vector_norm($x, dim=$dim, keepdim=$keep)",
  function(x, o) return sqrt(sum(x * x, o)) end)
op("logsumexp", "x, {dim:axes, keep:flag=false}", "torch.logsumexp($x, dim=$dim, keepdim=$keep)",
  function(x, o)
    local top = max(x, { dim = o.dim, keep = true })
    local total = log(sum(exp(x - top), o))
    return total + (o.keep and top or max(x, o))
  end)
op("softmax", "x, {dim:axis=-1}", "torch.softmax($x, dim=$dim)", function(x, o)
  local e = exp(x - max(x, { dim = o.dim, keep = true }))
  return e / sum(e, { dim = o.dim, keep = true })
end)
op("log_softmax", "x, {dim:axis=-1}", "torch.log_softmax($x, dim=$dim)", function(x, o)
  local d = x - max(x, { dim = o.dim, keep = true })
  return d - log(sum(exp(d), { dim = o.dim, keep = true }))
end)
op("l2_normalize", "x, {dim:axis=1, eps:number=1e-12}", "F.normalize($x, dim=$dim, eps=$eps)",
  function(x, o) return x / maximum(lib.norm(x, { dim = o.dim, keep = true }), o.eps) end)

------------------------------------------------------------------ norms

local function standardize(x, axes, eps)
  local d = x - mean(x, { dim = axes, keep = true })
  return d / sqrt(mean(d * d, { dim = axes, keep = true }) + eps)
end

-- w and b of [C] stand along axis 1 of x.
local function affine(y, w, b)
  local shape = { y.shape[2] }
  for i = 2, y.rank - 1 do shape[i] = 1 end
  if w then y = y * reshape(w, shape) end
  if b then y = y + reshape(b, shape) end
  return y
end

local function axes_from(x, first)
  local list = {}
  for a = first, x.rank - 1 do list[#list + 1] = a end
  if #list == 0 then fail("x of rank %d has too few axes", x.rank) end
  return list
end

op("layer_norm", "x, shape:list, w?, b?, {eps:number=1e-5}",
  "F.layer_norm($x, $shape, $w, $b, eps=$eps)",
  function(x, shape, w, b, o)
    for i, d in ipairs(shape) do
      if #shape > x.rank or x.shape[x.rank - #shape + i] ~= d then
        fail("x does not end in the shape [%s]", join(shape, ", "))
      end
    end
    local y = standardize(x, axes_from(x, x.rank - #shape), o.eps)
    if w then y = y * w end
    return b and y + b or y
  end)
-- Batch statistics, biased variance: what nn.BatchNorm does in training.
op("batch_norm", "x, w?, b?, {eps:number=1e-5}",
  "F.batch_norm($x, None, None, $w, $b, training=True, eps=$eps)",
  function(x, w, b, o)
    local axes = extend({ 0 }, x.rank > 2 and axes_from(x, 2) or {})
    return affine(standardize(x, axes, o.eps), w, b)
  end)
op("instance_norm", "x, {eps:number=1e-5}", "F.instance_norm($x, eps=$eps)", function(x, o)
  return standardize(x, axes_from(x, 2), o.eps)
end)
op("group_norm", "x, groups:number, w?, b?, {eps:number=1e-5}",
  "F.group_norm($x, $groups, $w, $b, eps=$eps)",
  function(x, groups, w, b, o)
    local shape, split = x.shape, { x.shape[1], groups }
    if x.rank < 2 or shape[2] % groups ~= 0 then
      fail("the channels do not divide into %s groups", tostring(groups))
    end
    split[3] = shape[2] // groups
    for i = 3, #shape do split[i + 1] = shape[i] end
    local y = reshape(x, split)
    return affine(reshape(standardize(y, axes_from(y, 2), o.eps), shape), w, b)
  end)
op("rms_norm", "x, w?, {dim:axis=-1, eps:number=1e-5}", nil, function(x, w, o)
  local y = x / sqrt(mean(x * x, { dim = o.dim, keep = true }) + o.eps)
  return w and y * w or y
end)

------------------------------------------------------------------ contractions and windows

op("linear", "x, w, b?", "F.linear($x, $w, $b)", function(x, w, b)
  -- A single row is a matrix of one row to matmul.
  local y = x.rank == 1 and squeeze(matmul(unsqueeze(x, 0), w, { trans_b = true }), 0)
    or matmul(x, w, { trans_b = true })
  return b and y + b or y
end)
for nd = 1, 3 do
  op("conv" .. nd .. "d", "x, w, b?, {stride:any=1, pad:any=0, dilation:any=1, groups:number=1}",
    "F.conv" .. nd .. "d($x, $w, $b, $stride, $pad, $dilation, $groups)",
    function(x, w, b, o)
      if x.rank ~= nd + 2 then fail("x must have %d axes, not %d", nd + 2, x.rank) end
      return node("conv", o, x, w, b)
    end)
  op("conv_transpose" .. nd .. "d",
    "x, w, b?, {stride:any=1, pad:any=0, dilation:any=1, groups:number=1, output_pad:any=0}",
    "F.conv_transpose" .. nd .. "d($x, $w, $b, $stride, $pad, $output_pad, $groups, $dilation)",
    function(x, w, b, o)
      if x.rank ~= nd + 2 then fail("x must have %d axes, not %d", nd + 2, x.rank) end
      return node("conv_transpose", o, x, w, b)
    end)
end
-- Rows offsets[g] to offsets[g + 1] of x (T, K) times w[g] of (G, K, N).
op("grouped_matmul", "x, w, offsets", nil, function(x, w, offsets)
  return node("grouped_matmul", nil, x, w, offsets)
end)
-- Over all axes behind (N, C). The stride is k unless it is given.
op("max_pool", "x, {k:any, stride:any?, pad:any=0, dilation:any=1, ceil:flag=false}", nil,
  function(x, o) return node("max_pool", o, x) end)
op("avg_pool", "x, {k:any, stride:any?, pad:any=0}", nil, function(x, o)
  return node("avg_pool", o, x)
end)
-- To size 1, which is all that adaptive pooling is used for.
op("adaptive_avg_pool", "x", nil, function(x)
  return mean(x, { dim = axes_from(x, 2), keep = true })
end)

------------------------------------------------------------------ attention

op("sdpa", "q, k, v, {causal:flag=false, scale:number?}",
  "attention($q, $k, $v, $causal, $scale)",
  function(q, k, v, o)
    local s = matmul(q, k, { trans_b = true }) * (o.scale or 1 / sqrt(q.shape[q.rank]))
    if o.causal then s = where(lower_triangle(s, 0), s, -math.huge) end
    return matmul(lib.softmax(s), v)
  end)
-- Self-attention of nn.MultiheadAttention, x (B, T, E): w_in (3E, E), w_out (E, E).
op("mha", "x, heads:number, w_in, b_in?, w_out, b_out?, {causal:flag=false}", nil,
  function(x, heads, w_in, b_in, w_out, b_out, o)
    local q, k, v = lib.split(lib.linear(x, w_in, b_in), 3, { dim = -1 })
    local function split_heads(t) return lib.rearrange(t, "b t (h d) -> b h t d", { h = heads }) end
    local y = lib.sdpa(split_heads(q), split_heads(k), split_heads(v), { causal = o.causal })
    return lib.linear(lib.rearrange(y, "b h t d -> b t (h d)"), w_out, b_out)
  end)

-- Kimi Delta Attention: q, k (B, T, H, K), v (B, T, H, V), g the log-decay of each channel and step
-- (not cumulated), beta (B, T, H). Recurrent form, from an empty state.
op("kda", "q, k, v, g, beta, {scale:number?}", nil, function(q, k, v, g, beta, o)
  return node("delta_rule", nil, q * (o.scale or 1 / sqrt(q.shape[q.rank])), k, v, exp(g), beta)
end)

------------------------------------------------------------------ losses

op("mse_loss", "a, b", "F.mse_loss($a, $b)", function(a, b)
  local d = a - b
  return mean(d * d)
end)
op("smooth_l1_loss", "a, b, {beta:number=1}", "F.smooth_l1_loss($a, $b, beta=$beta)",
  function(a, b, o)
    local d = abs(a - b)
    return mean(where(lt(d, o.beta), d * d * (0.5 / o.beta), d - 0.5 * o.beta))
  end)
op("cross_entropy", "x, target", "F.cross_entropy($x, $target)", function(x, target)
  if x.rank ~= 2 or target.rank ~= 1 then fail("x must be (N, classes) and target (N)") end
  local right = squeeze(take(x, unsqueeze(target, 1), { dim = 1 }), 1)
  return mean(lib.logsumexp(x, { dim = 1 }) - right)
end)
-- reduction = "batchmean"; 0 log 0 is 0.
op("kl_div", "log_p, target", 'F.kl_div($log_p, $target, reduction="batchmean")',
  function(log_p, target)
    return sum(where(gt(target, 0), target * (log(target) - log_p), 0)) / log_p.shape[1]
  end)
op("triplet_margin_loss", "anchor, positive, negative, {margin:number=1, eps:number=1e-6}",
  "F.triplet_margin_loss($anchor, $positive, $negative, margin=$margin, eps=$eps)",
  function(anchor, positive, negative, o)
    local function distance(other) return lib.norm(anchor - other + o.eps, { dim = -1 }) end
    return mean(relu(distance(positive) - distance(negative) + o.margin))
  end)
op("hinge_loss", "x, target", nil, function(x, target) return mean(relu(1 - x * target)) end)
