-- SPDX-License-Identifier: MIT
-- The problem language above the core ops: every name a problem file can use.
--
-- A composite op is one declaration: its name, what it takes, its PyTorch spelling, its lowering.
--
--   op("softmax", "x, {dim:axis=-1}", "torch.softmax($x, dim=$dim)", function(x, o) ... end)
--
-- Takes: `x` a tensor; `n:number`, `s:string`, `l:list`; `=` gives a default, `?` allows nil. In
-- braces the options of a trailing table: `axis` one axis, `axes` one, several or (left out) all,
-- `flag`, `number`, `any`. Axes count from 0, negative ones from the end.
-- $name in the spelling is that argument: a tensor's variable, or the value as Python writes it.
-- Without a spelling the core ops of the lowering are spelled one by one.
--
-- To add one: an op() in prelude_ops.lua or prelude_nn.lua (CONTRIBUTING.md, "A composite op").
-- Whatever the lowering does is the definition the judge goes by.
local core = ...
local node, raise, unknown, id = core.node, core.raise, core.unknown, core.id
local begin_call, end_call = core.begin_call, core.end_call
local format, gmatch, gsub, match = string.format, string.gmatch, string.gsub, string.match
local find, sub = string.find, string.sub
local unpack, sort, join = table.unpack, table.sort, table.concat
local integer = math.tointeger

local lib, nn = {}, {}
for name, f in pairs(core.names) do lib[name] = f end

local function fail(...) raise(format(...)) end

------------------------------------------------------------------ arguments

local function axis_of(rank, i, name)
  local a = type(i) == "number" and integer(i)
  if not a then fail("%s must be a whole number, not %s", name, tostring(i)) end
  if a < -rank or a >= rank then
    fail("%s = %d is out of range for a tensor of rank %d", name, a, rank)
  end
  return a < 0 and a + rank or a
end

local function axes_of(x, given, name)
  if given == nil then
    local all = {}
    for i = 1, x.rank do all[i] = i - 1 end
    return all
  end
  local list, seen = {}, {}
  for i, a in ipairs(type(given) == "table" and given or { given }) do
    list[i] = axis_of(x.rank, a, name)
    if seen[list[i]] then fail("%s names axis %d twice", name, list[i]) end
    seen[list[i]] = true
  end
  if #list == 0 then fail("%s names no axis", name) end
  return list
end

-- kind -> whether a value is one; axis and axes are normalised instead.
local kinds = {
  tensor = id,
  number = function(v) return type(v) == "number" end,
  string = function(v) return type(v) == "string" end,
  flag = function(v) return type(v) == "boolean" end,
  list = function(v) return type(v) == "table" end,
  any = function() return true end,
}
local kind_names = {
  tensor = "a tensor", number = "a number", string = "a string", flag = "true or false",
  list = "a list",
}

local function parse_one(text)
  local name, kind, optional, default = match(text, "^([%w_]+):?(%w*)(%??)=?(.*)$")
  local value = default
  if default == "true" or default == "false" then value = default == "true" end
  if default == "" then value = nil end
  return {
    name = name, kind = kind ~= "" and kind or "tensor",
    optional = optional ~= "" or default ~= "", default = tonumber(value) or value,
  }
end

local function parse(signature)
  local positional, options = signature, nil
  local brace = find(signature, "{", 1, true)
  if brace then
    positional, options = sub(signature, 1, brace - 1), { list = {}, names = {} }
    for item in gmatch(sub(signature, brace + 1, -2), "[^,%s]+") do
      local o = parse_one(item)
      options.list[#options.list + 1] = o
      options.names[o.name] = o
    end
  end
  local takes = {}
  for item in gmatch(positional, "[^,%s]+") do takes[#takes + 1] = parse_one(item) end
  return takes, options
end

local function check(want, v, x)
  if v == nil then v = want.default end
  if want.kind == "axes" then return axes_of(x, v, want.name) end
  if v == nil then
    if want.optional then return nil end
    fail("%s is missing", want.name)
  end
  if want.kind == "axis" then return axis_of(x.rank, v, want.name) end
  if not kinds[want.kind](v) then
    fail("%s must be %s, not %s", want.name, kind_names[want.kind], type(v))
  end
  return v
end

local function check_options(options, given, x, named)
  local o = {}
  if given ~= nil and type(given) ~= "table" then
    fail("options go in a table, as in { %s = ... }", options.list[1].name)
  end
  for key in pairs(given or {}) do
    if not options.names[key] then unknown("option", tostring(key), options.names) end
  end
  for _, want in ipairs(options.list) do
    local v = check(want, given and given[want.name], x)
    o[want.name], named[want.name] = v, v
  end
  return o
end

------------------------------------------------------------------ PyTorch spelling

local torch_dtypes = {
  f64 = "float64", f32 = "float32", f16 = "float16", bf16 = "bfloat16", f8e4m3 = "float8_e4m3fn",
  f8e5m2 = "float8_e5m2", i64 = "int64", i32 = "int32", i8 = "int8", u8 = "uint8", bool = "bool",
}

local function python(v)
  if v == nil then return "None" end
  if id(v) then return "%" .. id(v) end
  if type(v) == "boolean" then return v and "True" or "False" end
  if type(v) == "string" then
    return torch_dtypes[v] and "torch." .. torch_dtypes[v] or format("%q", v)
  end
  if type(v) == "number" then
    if v ~= v or v == math.huge or v == -math.huge then return format('float("%s")', v) end
    if math.type(v) == "integer" then return format("%d", v) end
    local short = format("%.15g", v)
    return tonumber(short) == v and short or format("%.17g", v)
  end
  local items = {}
  for i, item in ipairs(v) do items[i] = python(item) end
  return "[" .. join(items, ", ") .. "]"
end

local function spell(torch, named)
  return (gsub(torch, "%$([%a_]+)", function(name) return python(named[name]) end))
end

------------------------------------------------------------------ declaring an op

core.reference = {} -- every op and layer as declared, for docs/ops.md

local function op(name, signature, torch, lower)
  local takes, options
  core.reference[#core.reference + 1] = { name = name, takes = signature, torch = torch }
  lib[name] = function(...)
    begin_call(name)
    if not takes then takes, options = parse(signature) end -- most names are never called
    local args, named, n = { ... }, {}, #takes
    if select("#", ...) > n + (options and 1 or 0) then
      fail("too many arguments: write %s(%s)", name, signature)
    end
    local given = args[n + 1]
    for i = 1, n do
      args[i] = check(takes[i], args[i], args[1])
      named[takes[i].name] = args[i]
    end
    if options then args[n + 1] = check_options(options, given, args[1], named) end
    local y = lower(unpack(args, 1, n + 1))
    end_call(y, torch and spell(torch, named))
    return y
  end
end

------------------------------------------------------------------ core ops

local unary = {
  "abs", "sqrt", "exp", "expm1", "log", "log1p", "tanh", "erf", "sin", "cos", "floor",
}
for _, name in ipairs(unary) do
  lib[name] = function(x) return node(name, nil, x) end
end
for _, name in ipairs { "lt", "le", "gt", "ge", "eq", "ne", "minimum", "maximum", "pow" } do
  lib[name] = function(a, b) return node(name, nil, a, b) end
end
-- `and`, `or` and `not` are Lua's own words.
function lib.logical_and(a, b) return node("and", nil, a, b) end
function lib.logical_or(a, b) return node("or", nil, a, b) end
function lib.logical_not(x) return node("not", nil, x) end
function lib.where(condition, a, b) return node("where", nil, condition, a, b) end

local exp, log, log1p, sqrt, tanh, abs = lib.exp, lib.log, lib.log1p, lib.sqrt, lib.tanh, lib.abs
local minimum, maximum, where = lib.minimum, lib.maximum, lib.where
local gt, ge, lt = lib.gt, lib.ge, lib.lt

-- A cast rounds, also to the dtype x has: intermediates are judged unrounded otherwise.
op("cast", "x, dtype:string", nil, function(x, dtype) return node("cast", { dtype = dtype }, x) end)
-- Only the dtype changes: what is stored or multiplied as bf16 is judged unrounded, as ever.
op("as", "x, dtype:string", nil, function(x, dtype)
  return node("cast", { dtype = dtype, keep = true }, x)
end)
op("full", "shape:list, dtype:string, value:number", nil, function(shape, dtype, value)
  return node("const", { shape = shape, dtype = dtype, value = value })
end)
-- The index along an axis: iota({ T, T }, i64, 1) counts columns.
op("iota", "shape:list, dtype:string, axis:number=0", nil, function(shape, dtype, axis)
  return node("iota", { shape = shape, dtype = dtype, axis = axis_of(#shape, axis, "axis") })
end)

for _, name in ipairs { "sum", "prod", "max", "min" } do
  op(name, "x, {dim:axes, keep:flag=false}", nil, function(x, o)
    return node(name, { axes = o.dim, keep = o.keep }, x)
  end)
end
for _, name in ipairs { "argmax", "argmin" } do
  op(name, "x, {dim:axis, keep:flag=false}", nil, function(x, o)
    return node(name, { axes = { o.dim }, keep = o.keep }, x)
  end)
end
for _, name in ipairs { "cumsum", "cumprod" } do
  op(name, "x, {dim:axis}", nil, function(x, o) return node(name, { axis = o.dim }, x) end)
end
op("matmul", "a, b, {trans_a:flag=false, trans_b:flag=false}", nil, function(a, b, o)
  return node("matmul", o, a, b)
end)

local sum, max, matmul = lib.sum, lib.max, lib.matmul
local cast, full, iota = lib.cast, lib.full, lib.iota

local function count_of(x, axes)
  local n, shape = 1, x.shape
  for _, a in ipairs(axes) do n = n * shape[a + 1] end
  return n
end

local function product(list, from, to)
  local n = 1
  for i = from or 1, to or #list do n = n * list[i] end
  return n
end

------------------------------------------------------------------ movement

-- One dimension may be -1: what is left.
op("reshape", "x, shape:list", nil, function(x, shape)
  local to, rest, known = {}, nil, 1
  for i, d in ipairs(shape) do
    to[i] = d
    if d ~= -1 then
      known = known * d
    elseif rest then
      fail("only one dimension can be -1")
    else
      rest = i
    end
  end
  if rest then
    local n = product(x.shape)
    if known < 1 or n % known ~= 0 then
      fail("%d elements do not fill dimensions of %s", n, tostring(known))
    end
    to[rest] = n // known
  end
  return node("reshape", { shape = to }, x)
end)
op("permute", "x, axes:list", nil, function(x, axes)
  if #axes ~= x.rank then fail("%d axes are given for a tensor of rank %d", #axes, x.rank) end
  return node("permute", { perm = axes_of(x, axes, "axes") }, x)
end)
local reshape, permute = lib.reshape, lib.permute

op("transpose", "x, a:number=-2, b:number=-1", nil, function(x, a, b)
  local perm = axes_of(x)
  a, b = axis_of(x.rank, a, "a") + 1, axis_of(x.rank, b, "b") + 1
  perm[a], perm[b] = perm[b], perm[a]
  return permute(x, perm)
end)
op("expand", "x, shape:list", nil, function(x, shape)
  return node("expand", { shape = shape }, x)
end)
-- Half-open, as in Python: from to step may be nil, negative ends count from the end.
op("slice", "x, axis:axis, from:number?, to:number?, step:number=1", nil,
  function(x, axis, from, to, step)
    local dim = x.shape[axis + 1]
    for _, v in ipairs { from or 0, to or 0, step } do
      if not integer(v) then fail("%s is no whole number", tostring(v)) end
    end
    if step == 0 then fail("step must not be 0") end
    if from and from < 0 then from = from + dim end
    if to and to < 0 then to = to + dim end
    from = from or (step > 0 and 0 or dim - 1)
    to = to or (step > 0 and dim or -1)
    if from < 0 or from >= dim or to < -1 or to > dim then
      fail("%d to %d is outside of axis %d, which has %d", from, to, axis, dim)
    end
    local len = (to - from + step - (step > 0 and 1 or -1)) // step
    if len < 1 then fail("nothing is left of axis %d from %d to %d", axis, from, to) end
    return node("slice", { axis = axis, from = from, step = step, len = len }, x)
  end)
local slice = lib.slice

op("concat", "tensors:list, {dim:any=0}", nil, function(tensors, o)
  local first = tensors[1]
  if not id(first) then fail("a list of tensors is wanted: concat({ a, b }, { dim = 1 })") end
  return node("concat", { axis = axis_of(first.rank, o.dim, "dim") }, unpack(tensors))
end)
op("pad", "x, axis:axis, before:number, after:number, {value:number=0}", nil,
  function(x, axis, before, after, o)
    return node("pad", { axis = axis, lo = before, hi = after, value = o.value }, x)
  end)
-- gather: whole slices of x by index (an embedding). take: single elements, torch.gather.
for _, name in ipairs { "gather", "take" } do
  op(name, "x, index, {dim:axis=0}", nil, function(x, index, o)
    return node(name, { axis = o.dim }, x, index)
  end)
end
local concat, take = lib.concat, lib.take

op("unsqueeze", "x, axis:number", nil, function(x, axis)
  local shape = x.shape
  table.insert(shape, axis_of(x.rank + 1, axis, "axis") + 1, 1)
  return reshape(x, shape)
end)
op("squeeze", "x, axis:axis", nil, function(x, axis)
  local shape = x.shape
  if table.remove(shape, axis + 1) ~= 1 then fail("axis %d is not 1 long", axis) end
  return reshape(x, shape)
end)
op("flatten", "x, from:axis=0, to:axis=-1", nil, function(x, from, to)
  local shape, out = x.shape, {}
  if to < from then fail("axis %d comes before axis %d", to, from) end
  for i = 1, from do out[i] = shape[i] end
  out[from + 1] = product(shape, from + 1, to + 1)
  for i = to + 2, #shape do out[#out + 1] = shape[i] end
  return reshape(x, out)
end)
local unsqueeze, squeeze = lib.unsqueeze, lib.squeeze

-- x[:, i]: the axis goes.
op("select", "x, axis:axis, index:number", nil, function(x, axis, index)
  if index < 0 then index = index + x.shape[axis + 1] end
  return squeeze(slice(x, axis, index, index + 1), axis)
end)
op("stack", "tensors:list, {dim:number=0}", "torch.stack($tensors, dim=$dim)", function(tensors, o)
  local raised = {}
  for i, x in ipairs(tensors) do raised[i] = unsqueeze(x, o.dim) end
  if #raised == 0 then fail("a list of tensors is wanted") end
  return concat(raised, { dim = axis_of(raised[1].rank, o.dim, "dim") })
end)
op("flip", "x, {dim:axes}", "torch.flip($x, $dim)", function(x, o)
  for _, a in ipairs(o.dim) do x = slice(x, a, nil, nil, -1) end
  return x
end)
op("roll", "x, shift:number, {dim:axis}", "torch.roll($x, $shift, $dim)", function(x, shift, o)
  local dim = x.shape[o.dim + 1]
  shift = shift % dim
  if shift == 0 then return x end
  return concat({ slice(x, o.dim, dim - shift), slice(x, o.dim, 0, dim - shift) }, { dim = o.dim })
end)

-- Returns several values, so it is no op: n equal parts, or parts of the lengths in a list.
function lib.split(x, n, o)
  local dim = axis_of(x.rank, o and o.dim or 0, "split: dim")
  local have, lengths, from, parts = x.shape[dim + 1], n, 0, {}
  if type(n) == "number" then
    if n < 1 or have % n ~= 0 then
      fail("split: axis %d has %d, which are not %s equal parts", dim, have, n)
    end
    lengths = {}
    for i = 1, n do lengths[i] = have // n end
  elseif type(n) ~= "table" or product(n) == 0 then
    fail("split: how many parts? split(x, 3, { dim = -1 })")
  end
  for i, len in ipairs(lengths) do
    parts[i] = slice(x, dim, from, from + len)
    from = from + len
  end
  if from ~= have then fail("split: the parts add up to %d, axis %d has %d", from, dim, have) end
  return unpack(parts)
end

-- Returns values and indices (i64) of the k largest, falling; of equal values the lower index wins.
function lib.topk(x, k, o)
  local dim = axis_of(x.rank, o and o.dim or -1, "topk: dim")
  local index = node("topk", { axis = dim, k = k }, x)
  return take(x, index, { dim = dim }), index
end

local function lower_triangle(x, diagonal)
  if x.rank < 2 then fail("at least two axes are needed") end
  local shape = { x.shape[x.rank - 1], x.shape[x.rank] }
  return ge(iota(shape, "i64", 0) + diagonal, iota(shape, "i64", 1))
end
op("tril", "x, diagonal:number=0", "torch.tril($x, $diagonal)", function(x, diagonal)
  return where(lower_triangle(x, diagonal), x, 0)
end)
op("triu", "x, diagonal:number=0", "torch.triu($x, $diagonal)", function(x, diagonal)
  return where(lower_triangle(x, diagonal - 1), 0, x)
end)

------------------------------------------------------------------ rearrange and einsum

local PATTERN_MAX = 200

-- "b t (h d)" -> { { "b" }, { "t" }, { "h", "d" } }
local function parse_axes(text)
  local groups, open = {}, nil
  for token in gmatch(gsub(text, "([()])", " %1 "), "%S+") do
    if token == "(" then
      if open then fail("brackets do not nest: %s", text) end
      open = {}
      groups[#groups + 1] = open
    elseif token == ")" then
      if not open then fail("a bracket is missing: %s", text) end
      open = nil
    elseif not find(token, "^[%a_][%w_]*$") and token ~= "1" then
      fail("'%s' is no axis name", token)
    elseif open then
      if token ~= "1" then open[#open + 1] = token end
    else
      groups[#groups + 1] = token ~= "1" and { token } or {}
    end
  end
  if open then fail("a bracket is missing: %s", text) end
  return groups
end

-- Lengths of a group's axes; at most one of them is not known yet.
local function solve_group(group, dim, lengths)
  local known, open = 1, nil
  for _, name in ipairs(group) do
    if lengths[name] then
      known = known * lengths[name]
    elseif open then
      fail("the length of %s or %s must be given, as in { %s = 8 }", open, name, open)
    else
      open = name
    end
  end
  if open and dim % known == 0 then lengths[open], known = dim // known, dim end
  if known ~= dim then fail("an axis of %d does not split into (%s)", dim, join(group, " ")) end
end

op("rearrange", "x, pattern:string, lengths:list?", nil, function(x, pattern, lengths)
  if #pattern > PATTERN_MAX then fail("the pattern is too long") end
  local left, right = match(pattern, "^(.-)%->(.*)$")
  if not left then fail("write \"b t (h d) -> b h t d\"") end
  local from, to, known, atoms, place = parse_axes(left), parse_axes(right), {}, {}, {}
  if #from ~= x.rank then fail("'%s' names %d axes, the tensor has %d", left, #from, x.rank) end
  for name, n in pairs(lengths or {}) do known[name] = n end
  for i, group in ipairs(from) do
    solve_group(group, x.shape[i], known)
    for _, name in ipairs(group) do
      if place[name] then fail("%s stands twice on the left", name) end
      atoms[#atoms + 1] = known[name]
      place[name] = #atoms - 1
    end
  end
  local perm, shape = {}, {}
  for i, group in ipairs(to) do
    shape[i] = 1
    for _, name in ipairs(group) do
      if not place[name] then fail("%s stands once on each side, or not at all", name) end
      perm[#perm + 1] = place[name]
      shape[i] = shape[i] * known[name]
      place[name] = nil
    end
  end
  for name in pairs(place) do fail("%s stands only on the left", name) end
  return reshape(permute(reshape(x, atoms), perm), shape)
end)

local function letters(text)
  local list, set = {}, {}
  if find(text, "[^%a]") then fail("'%s': one letter per axis, no dots", text) end
  for c in gmatch(text, "%a") do
    if set[c] then fail("%s stands twice in %s", c, text) end
    list[#list + 1], set[c] = c, true
  end
  return list, set
end

-- x with its axes (letters `have`) brought into the order `want`, a subset; the others are summed.
local function align(x, have, want)
  local place, gone, perm, sorted = {}, {}, {}, true
  local wanted = {}
  for _, c in ipairs(want) do wanted[c] = true end
  local n = 0
  for i, c in ipairs(have) do
    if wanted[c] then
      place[c] = n
      n = n + 1
    else
      gone[#gone + 1] = i - 1
    end
  end
  if #gone > 0 then x = sum(x, { dim = gone }) end
  for i, c in ipairs(want) do
    perm[i] = place[c]
    sorted = sorted and perm[i] == i - 1
  end
  return sorted and x or permute(x, perm)
end

local function extend(a, ...)
  local out = { unpack(a) }
  for _, list in ipairs { ... } do
    for _, v in ipairs(list) do out[#out + 1] = v end
  end
  return out
end

-- One step: labels in both operands that somebody still needs are batch axes, the others in both
-- are contracted; without any of those it is a product with broadcasting.
local function einsum_pair(a, la, b, lb, needed, dims)
  local in_b, in_a, batch, only_a, only_b, inner = {}, {}, {}, {}, {}, {}
  for _, c in ipairs(lb) do in_b[c] = true end
  for _, c in ipairs(la) do
    in_a[c] = true
    if not in_b[c] then
      if needed[c] then only_a[#only_a + 1] = c end
    elseif needed[c] then
      batch[#batch + 1] = c
    else
      inner[#inner + 1] = c
    end
  end
  for _, c in ipairs(lb) do
    if not in_a[c] and needed[c] then only_b[#only_b + 1] = c end
  end
  local function lengths(list)
    local out = {}
    for i, c in ipairs(list) do out[i] = dims[c] end
    return out
  end
  local function ones(list)
    local out = {}
    for i in ipairs(list) do out[i] = 1 end
    return out
  end
  local labels = extend(batch, only_a, only_b)
  if #inner == 0 then
    a = align(a, la, extend(batch, only_a))
    b = align(b, lb, extend(batch, only_b))
    if #only_b > 0 then a = reshape(a, extend(lengths(batch), lengths(only_a), ones(only_b))) end
    if #only_a > 0 then b = reshape(b, extend(lengths(batch), ones(only_a), lengths(only_b))) end
    return a * b, labels
  end
  local lead = #batch > 0 and { product(lengths(batch)) } or {}
  local k = product(lengths(inner))
  local m, n = product(lengths(only_a)), product(lengths(only_b))
  a = reshape(align(a, la, extend(batch, only_a, inner)), extend(lead, { m, k }))
  b = reshape(align(b, lb, extend(batch, inner, only_b)), extend(lead, { k, n }))
  return reshape(matmul(a, b), lengths(labels)), labels
end

local function einsum(spec, operands)
  local left, right = match(gsub(spec, "%s", ""), "^(.-)%->(.*)$")
  if not left or #spec > PATTERN_MAX then fail("write einsum(\"bij,jk->bik\", a, b)") end
  local labels, dims, target = {}, {}, letters(right)
  for text in gmatch(left .. ",", "(.-),") do labels[#labels + 1] = letters(text) end
  if #labels ~= #operands then
    fail("%s names %d tensors, %d are given", spec, #labels, #operands)
  end
  for i, list in ipairs(labels) do
    local x = operands[i]
    if not id(x) then fail("operand %d must be a tensor, not %s", i, type(x)) end
    if x.rank ~= #list then fail("operand %d has %d axes, %s names %d", i, x.rank, spec, #list) end
    for j, c in ipairs(list) do
      if dims[c] and dims[c] ~= x.shape[j] then fail("%s is %d and %d", c, dims[c], x.shape[j]) end
      dims[c] = x.shape[j]
    end
  end
  for _, c in ipairs(target) do
    if not dims[c] then fail("%s stands only on the right", c) end
  end
  local y, have = operands[1], labels[1]
  for i = 2, #operands do
    local needed = {}
    for _, c in ipairs(target) do needed[c] = true end
    for j = i + 1, #labels do
      for _, c in ipairs(labels[j]) do needed[c] = true end
    end
    y, have = einsum_pair(y, have, operands[i], labels[i], needed, dims)
  end
  return align(y, have, target)
end
-- Left to right, two operands at a time: the order decides the cost.
function lib.einsum(spec, ...)
  begin_call("einsum")
  if type(spec) ~= "string" then fail("write einsum(\"bij,jk->bik\", a, b)") end
  local names, operands = {}, { ... }
  local y = einsum(spec, operands)
  for i, x in ipairs(operands) do names[i] = python(x) end
  end_call(y, format("torch.einsum(%q, %s)", spec, join(names, ", ")))
  return y
end
