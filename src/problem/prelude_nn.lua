-- SPDX-License-Identifier: MIT
-- Third part of the prelude: recurrences, layers with parameters, and what is left of Lua.

------------------------------------------------------------------ recurrences

-- Over time, one layer and direction: gates from x (T, B, G*H), w_hh (G*H, H), b_hh, h0 (B, H).
op("lstm", "gates, w_hh, b_hh, h0, c0", nil, function(gates, w, b, h0, c0)
  return node("lstm", nil, gates, w, b, h0, c0)
end)
op("gru", "gates, w_hh, b_hh, h0", nil, function(gates, w, b, h0)
  return node("gru", nil, gates, w, b, h0)
end)
op("rnn", "gates, w_hh, b_hh, h0", nil, function(gates, w, b, h0)
  return node("rnn", nil, gates, w, b, h0)
end)

local gate_counts = { lstm = 4, gru = 3, rnn = 1 }

-- One layer in one direction: h over all steps, and the states behind the last one processed.
local function run_direction(kind, x, p, h0, c0, backward)
  local hidden, last = h0.shape[2], backward and 0 or -1
  if backward then x = lib.flip(x, { dim = 0 }) end
  local gates = lib.linear(x, p.w_ih, p.b_ih)
  local y = node(kind, nil, gates, p.w_hh, p.b_hh, h0, c0)
  if backward then y = lib.flip(y, { dim = 0 }) end
  local final = lib.select(y, 0, last)
  if kind ~= "lstm" then return y, final end
  return slice(y, 2, 0, hidden), slice(final, 1, 0, hidden), slice(final, 1, hidden)
end

-- x (T, B, I) through all layers; states come in the order layer 0 forward, layer 0 backward, ...
local function run_layers(kind, x, layers, h0, c0)
  local hn, cn = {}, {}
  for _, directions in ipairs(layers) do
    local outs = {}
    for d, p in ipairs(directions) do
      local i = #hn
      local h, c = lib.select(h0, 0, i), c0 and lib.select(c0, 0, i)
      outs[d], hn[i + 1], cn[i + 1] = run_direction(kind, x, p, h, c, d == 2)
    end
    x = #outs > 1 and concat(outs, { dim = 2 }) or outs[1]
  end
  return x, lib.stack(hn), c0 and lib.stack(cn)
end

------------------------------------------------------------------ layers

-- nn.X("name", ...) declares NAME.weight, NAME.bias, ... and returns a function of x. The laws are
-- PyTorch's initialisation, with one exception: weights and biases that start as ones and zeros
-- (norms, biases of attention) are random here, since a kernel could skip a constant.
local function layer(name, signature, make)
  core.reference[#core.reference + 1] = { name = "nn." .. name, takes = "name, " .. signature }
  local takes, options
  nn[name] = function(label, ...)
    begin_call("nn." .. name)
    if not takes then takes, options = parse(signature) end
    local args, n = { ... }, #takes
    if type(label) ~= "string" then fail("the first argument is the layer's name, a string") end
    if select("#", ...) > n + 1 then
      fail("too many arguments: write nn.%s(name, %s)", name, signature)
    end
    local given = args[n + 1]
    for i = 1, n do args[i] = check(takes[i], args[i]) end
    args[n + 1] = check_options(options, given, nil, {})
    local f = make(label, unpack(args, 1, n + 1))
    end_call(nil, nil)
    return f
  end
end

local param, uniform, normal = lib.param, lib.uniform, lib.normal

local function bounded(label, dtype, shape, fan_in, gain)
  local b = (gain or 1) / sqrt(fan_in)
  return param(label, dtype, shape, uniform(-b, b))
end

local function norm_params(label, dtype, shape, shift)
  local w = param(label .. ".weight", dtype, shape, normal(1, 0.25))
  return w, param(label .. ".bias", dtype, shape, normal(shift or 0, 0.25))
end

-- gain multiplies the weights' bound, for deep nets without norms: sqrt(6) keeps the second moment
-- through a relu, sqrt(3) without one; PyTorch's 1 shrinks it by as much.
layer("linear",
  "inputs:number, outputs:number, {bias:flag=true, gain:number=1, dtype:string=f32}",
  function(label, inputs, outputs, o)
    local w = bounded(label .. ".weight", o.dtype, { outputs, inputs }, inputs, o.gain)
    local b = o.bias and bounded(label .. ".bias", o.dtype, { outputs }, inputs) or nil
    return function(x) return lib.linear(x, w, b) end
  end)

-- One number for all axes, or a list of nd.
local function kernel(k, nd)
  local out = {}
  if type(k) == "table" and #k ~= nd then fail("k must be a whole number or a list of %d", nd) end
  for i = 1, nd do out[i] = type(k) == "table" and k[i] or k end
  return out
end

local function check_groups(o, ...)
  for _, channels in ipairs { ... } do
    if o.groups < 1 or channels % o.groups ~= 0 then
      fail("%s channels do not divide into %s groups", tostring(channels), tostring(o.groups))
    end
  end
end

local window = "inputs:number, outputs:number, {k:any, stride:any=1, pad:any=0, dilation:any=1, "
  .. "groups:number=1, bias:flag=true, gain:number=1, dtype:string=f32"

-- The fan-in is what axis 1 of the weights and the kernel make: in PyTorch for the transposed ones,
-- too, where axis 1 is the output.
local function conv_layer(name, signature, nd, channels)
  layer(name, signature, function(label, inputs, outputs, o)
    check_groups(o, inputs, outputs)
    local shape = extend(channels(inputs, outputs, o.groups), kernel(o.k, nd))
    local fan_in = product(shape, 2)
    local w = bounded(label .. ".weight", o.dtype, shape, fan_in, o.gain)
    local b = o.bias and bounded(label .. ".bias", o.dtype, { outputs }, fan_in) or nil
    local options = {
      stride = o.stride, pad = o.pad, dilation = o.dilation, groups = o.groups,
      output_pad = o.output_pad,
    }
    return function(x) return lib[name](x, w, b, options) end
  end)
end

for nd = 1, 3 do
  conv_layer("conv" .. nd .. "d", window .. "}", nd, function(inputs, outputs, groups)
    return { outputs, inputs // groups }
  end)
  conv_layer("conv_transpose" .. nd .. "d", window .. ", output_pad:any=0}", nd,
    function(inputs, outputs, groups) return { inputs, outputs // groups } end)
end

-- shift is the mean of the biases. At 0 a relu closes on half of its inputs, and each such layer
-- amplifies rounding by about 1.2; at 1 it closes on a sixth, and deep nets keep their digits.
layer("batch_norm", "channels:number, {eps:number=1e-5, shift:number=0, dtype:string=f32}",
  function(label, channels, o)
    local w, b = norm_params(label, o.dtype, { channels }, o.shift)
    return function(x) return lib.batch_norm(x, w, b, { eps = o.eps }) end
  end)
layer("group_norm", "groups:number, channels:number, {eps:number=1e-5, dtype:string=f32}",
  function(label, groups, channels, o)
    local w, b = norm_params(label, o.dtype, { channels })
    return function(x) return lib.group_norm(x, groups, w, b, { eps = o.eps }) end
  end)
layer("layer_norm", "shape:any, {eps:number=1e-5, dtype:string=f32}", function(label, shape, o)
  if type(shape) ~= "table" then shape = { shape } end
  local w, b = norm_params(label, o.dtype, shape)
  return function(x) return lib.layer_norm(x, shape, w, b, { eps = o.eps }) end
end)
layer("mha",
  "embed:number, heads:number, {causal:flag=false, batch_first:flag=false, dtype:string=f32}",
  function(label, embed, heads, o)
    if embed % heads ~= 0 then
      fail("%s does not divide into %s heads", tostring(embed), tostring(heads))
    end
    local bound = sqrt(6 / (4 * embed)) -- xavier_uniform of (3E, E)
    local packed = { 3 * embed, embed }
    local w_in = param(label .. ".in_proj_weight", o.dtype, packed, uniform(-bound, bound))
    local b_in = bounded(label .. ".in_proj_bias", o.dtype, { 3 * embed }, embed)
    local w_out = bounded(label .. ".out_proj.weight", o.dtype, { embed, embed }, embed)
    local b_out = bounded(label .. ".out_proj.bias", o.dtype, { embed }, embed)
    return function(x)
      if not o.batch_first then x = lib.transpose(x, 0, 1) end
      local y = lib.mha(x, heads, w_in, b_in, w_out, b_out, { causal = o.causal })
      return o.batch_first and y or lib.transpose(y, 0, 1)
    end
  end)

-- nn.TransformerEncoderLayer as it is by default: norms behind the sums, relu, no mask.
layer("encoder_layer",
  "embed:number, heads:number, hidden:number, {batch_first:flag=false, dtype:string=f32}",
  function(label, embed, heads, hidden, o)
    local attention = nn.mha(label .. ".self_attn", embed, heads,
      { batch_first = o.batch_first, dtype = o.dtype })
    local widen = nn.linear(label .. ".linear1", embed, hidden, { dtype = o.dtype })
    local narrow = nn.linear(label .. ".linear2", hidden, embed, { dtype = o.dtype })
    local norm1 = nn.layer_norm(label .. ".norm1", embed, { dtype = o.dtype })
    local norm2 = nn.layer_norm(label .. ".norm2", embed, { dtype = o.dtype })
    return function(x)
      x = norm1(x + attention(x))
      return norm2(x + narrow(relu(widen(x))))
    end
  end)

-- PyTorch's call with all weights in one list; part 0 is the output, 1 and 2 the last states.
local function recurrent_torch(kind, x, h0, c0, weights, o, part)
  local name, states = kind == "rnn" and "rnn_tanh" or kind, python(c0 and { h0, c0 } or h0)
  return format("torch.%s(%s, %s, %s, True, %d, 0.0, False, %s, %s)[%d]", name, python(x), states,
    python(weights), o.layers, python(o.bidirectional), python(o.batch_first), part)
end

-- PyTorch's small weights and biases make a state forget within 64 steps. gain multiplies the
-- weights' bound, gate_bias is the deviation of normal biases: with 2 and 2 some gates stay open,
-- states remember hundreds of steps, and nothing is chaotic.
local recurrent = "inputs:number, hidden:number, {layers:number=1, bidirectional:flag=false, "
  .. "batch_first:flag=false, gain:number=1, gate_bias:number?, dtype:string=f32}"

for kind, gates in pairs(gate_counts) do
  layer(kind, recurrent, function(label, inputs, hidden, o)
    local layers, weights, directions = {}, {}, o.bidirectional and 2 or 1
    local bound = 1 / sqrt(hidden)
    local weight_law = uniform(-o.gain * bound, o.gain * bound)
    local bias_law = o.gate_bias and normal(0, o.gate_bias) or uniform(-bound, bound)
    for l = 1, o.layers do
      layers[l] = {}
      for d = 1, directions do
        local tail = "_l" .. l - 1 .. (d == 2 and "_reverse" or "")
        local width = l == 1 and inputs or hidden * directions
        local function make(part, shape, law)
          weights[#weights + 1] = param(label .. "." .. part .. tail, o.dtype, shape, law)
          return weights[#weights]
        end
        layers[l][d] = {
          w_ih = make("weight_ih", { gates * hidden, width }, weight_law),
          w_hh = make("weight_hh", { gates * hidden, hidden }, weight_law),
          b_ih = make("bias_ih", { gates * hidden }, bias_law),
          b_hh = make("bias_hh", { gates * hidden }, bias_law),
        }
      end
    end
    -- f(x, h0 [, c0]) -> output, h_n [, c_n]; states are (layers * directions, B, hidden), zero
    -- when they are left out.
    return function(x, h0, c0)
      if not id(x) or x.rank ~= 3 then fail("%s: x must be a tensor of rank 3", label) end
      local states = { o.layers * directions, x.shape[o.batch_first and 1 or 2], hidden }
      h0 = h0 or full(states, o.dtype, 0)
      if kind == "lstm" then c0 = c0 or full(states, o.dtype, 0) end
      local function recorded(part, f)
        begin_call(kind)
        local y = f()
        end_call(y, recurrent_torch(kind, x, h0, c0, weights, o, part))
        return y
      end
      local hn, cn
      local y = recorded(0, function()
        local out
        local by_time = o.batch_first and lib.transpose(x, 0, 1) or x
        out, hn, cn = run_layers(kind, by_time, layers, h0, c0)
        return o.batch_first and lib.transpose(out, 0, 1) or out
      end)
      -- The states are made inside the first call; a copy of their own gives each its spelling.
      local function state(part, s)
        return s and recorded(part, function() return reshape(s, s.shape) end)
      end
      return y, state(1, hn), state(2, cn)
    end
  end)
end

------------------------------------------------------------------ what is left of Lua

local function by_key(a, b)
  local ta, tb = type(a), type(b)
  if ta ~= tb then return ta < tb end
  return a < b
end

-- Sorted: Lua's own order differs from run to run, and with it graphs and hashes.
function lib.pairs(t)
  local keys, i = {}, 0
  if type(t) ~= "table" then fail("pairs: a table is wanted, not %s", type(t)) end
  for k in pairs(t) do
    if type(k) ~= "number" and type(k) ~= "string" then
      fail("pairs: keys must be numbers or strings")
    end
    keys[#keys + 1] = k
  end
  sort(keys, by_key)
  return function()
    i = i + 1
    if keys[i] ~= nil then return keys[i], t[keys[i]] end
  end
end
sort(core.reference, function(a, b) return a.name < b.name end)
lib.ipairs = ipairs
lib.unpack = unpack
lib.type = type
lib.nn = core.read_only(nn)
lib.math = core.read_only {
  floor = math.floor, ceil = math.ceil, max = math.max, min = math.min,
  huge = math.huge, pi = math.pi,
}
return lib
