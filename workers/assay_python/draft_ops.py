# SPDX-License-Identifier: MIT
"""How steps of a torch.fx graph are spelled in the problem language (docs/ops.md).

A translation has the name and the arguments of PyTorch's function or method, and returns an
expression, or a list of them where PyTorch gives a tuple. `out` is the kind of the result. To add
one: a function below, with @op and its names. Whole numbers are written between marks, because a
draft replaces those that follow from a named size (draft.py)."""
import functools
import math
import re

import torch

OPEN, CLOSE = "\x01", "\x02"  # the marks around whole numbers
NUMBER = re.compile(f"{OPEN}(-?[0-9]+){CLOSE}")
DTYPES = {torch.float64: "f64", torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16", torch.int64: "i64",
          torch.int32: "i32", torch.int8: "i8", torch.uint8: "u8", torch.bool: "bool"}
OPS = {}


class Untranslated(Exception):
    """The language has nothing for a step, and why."""


class Ref:
    """A tensor that has a name in the draft."""

    def __init__(self, text, kind, bound=None):
        self.text, self.shape, self.dtype = text, kind.shape, kind.dtype
        self.rank = len(kind.shape)
        self.bound = bound  # of an input of whole numbers: called with a limit that is known


def lua(value):
    if isinstance(value, Ref):
        return value.text
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return f"{OPEN}{value}{CLOSE}"
    if isinstance(value, float):
        if math.isinf(value):
            return "math.huge" if value > 0 else "-math.huge"
        return repr(value)
    if isinstance(value, (list, tuple)):
        return "{ " + ", ".join(map(lua, value)) + " }" if value else "{}"
    if isinstance(value, str):  # an expression
        return value
    if isinstance(value, torch.dtype) and value in DTYPES:
        return DTYPES[value]
    raise Untranslated(f"takes a {type(value).__name__}")


def table(options):
    """Options that are not None, as the trailing table of a call."""
    items = [f"{name} = {lua(value)}" for name, value in options.items() if value is not None]
    return "{ " + ", ".join(items) + " }" if items else ""


def call(name, *args, **options):
    words = ["nil" if arg is None else lua(arg) for arg in args]
    return f"{name}({', '.join(words + ([table(options)] if table(options) else []))})"


def with_weights(name, fixed, tensors, **options):
    """A call with tensors that may be None; at the end they are left away, if no options follow."""
    tensors = list(tensors)
    while tensors and tensors[-1] is None and not table(options):
        tensors.pop()
    return call(name, *fixed, *tensors, **options)


def op(*names):
    def add(function):
        OPS.update(dict.fromkeys(names, function))
        return function
    return add


def name_of(target):
    """One name for a function, its method, its form that works in place, and its operator."""
    name = (target if isinstance(target, str) else getattr(target, "__name__", str(target))).strip("_")
    name = re.sub(r"^(linalg|special)_", "", name)
    return name[1:] if name in ("iadd", "isub", "imul", "itruediv", "ipow") else name


IGNORED = ("inplace", "_stacklevel", "out", "memory_format", "non_blocking", "requires_grad", "copy")


def translate(name, out, args, kwargs):
    """The expression, or a list of them. Raises Untranslated."""
    if name not in OPS:
        raise Untranslated("the language has nothing like it")
    renamed = {{"input": "x", "self": "x"}.get(key, key): value for key, value in kwargs.items() if key not in IGNORED}
    try:
        return OPS[name](out, *args, **renamed)
    except (TypeError, AttributeError, IndexError, ValueError) as error:
        raise Untranslated(f"its arguments are not those that are known ({error})") from error


def need(condition, text):
    if not condition:
        raise Untranslated(text)


def as_list(values):
    """Arguments that come one by one or as one list."""
    return list(values[0]) if len(values) == 1 and isinstance(values[0], (list, tuple)) else list(values)


def cast(x, dtype):
    if isinstance(x, Ref) and x.dtype != dtype:
        return call("cast", x, dtype)
    return x


def same_type(x, dtype):
    need(dtype is None or dtype == x.dtype, "its result has another type")


# ---------------------------------------------------------------- elementwise

for alike in ("relu relu6 hardsigmoid hardswish selu sigmoid silu mish softsign sign rsqrt square abs sqrt exp expm1 "
              "log log1p tanh erf sin cos floor logical_not").split():
    op(alike)(lambda out, x, alike=alike: call(alike, cast(x, out.dtype) if alike != "logical_not" else x))
OPS["swish"], OPS["expit"], OPS["absolute"] = OPS["silu"], OPS["sigmoid"], OPS["abs"]


def arithmetic(symbol):
    def write(out, x, other, alpha=1, rounding_mode=None):
        a, b = cast(x, out.dtype), cast(other, out.dtype)
        need(rounding_mode in (None, "floor"), "it rounds towards zero")
        text = f"{lua(a)} {symbol} {lua(b) if alpha == 1 else f'{lua(b)} * {lua(alpha)}'}"
        return f"floor({text})" if rounding_mode else text
    return write


for symbol, names in {"+": "add", "-": "sub subtract", "*": "mul multiply",
                      "/": "div divide truediv true_divide"}.items():
    op(*names.split())(arithmetic(symbol))


@op("rsub")
def rsub(out, x, other, alpha=1):
    return arithmetic("-")(out, other, x, alpha)


@op("floordiv", "floor_divide")
def floordiv(out, x, other):
    return arithmetic("/")(out, x, other, rounding_mode="floor")


@op("neg", "negative")
def neg(out, x):
    return f"-{lua(x)}"


@op("reciprocal")
def reciprocal(out, x):
    return f"1 / {lua(x)}"


@op("pow", "float_power")
def power(out, x, exponent):
    if exponent == 2:
        return call("square", x)
    return call("sqrt", x) if exponent == 0.5 else f"{lua(x)} ^ {lua(exponent)}"


@op("ceil")
def ceil(out, x):
    return f"-floor(-{lua(x)})"


@op("clamp", "clip", "hardtanh")
def clamp(out, x, min=None, max=None, min_val=-1.0, max_val=1.0):
    if min is None and max is None:
        min, max = min_val, max_val
    if isinstance(min, Ref) or isinstance(max, Ref):
        low = call("maximum", x, min) if min is not None else x
        return call("minimum", low, max) if max is not None else low
    return call("clamp", x, min, max) if max is not None else call("clamp", x, min)


@op("clamp_min")
def clamp_min(out, x, min):
    return clamp(out, x, min)


@op("clamp_max")
def clamp_max(out, x, max):
    return clamp(out, x, None, max)


@op("leaky_relu")
def leaky_relu(out, x, negative_slope=0.01):
    return call("leaky_relu", x, negative_slope)


@op("elu")
def elu(out, x, alpha=1.0):
    return call("elu", x, alpha)


@op("gelu")
def gelu(out, x, approximate="none"):
    return call("gelu" if approximate == "none" else "gelu_tanh", x)


@op("softplus")
def softplus(out, x, beta=1, threshold=20):
    need(threshold == 20, "softplus is linear above 20 here")
    return call("softplus", x) if beta == 1 else f"softplus({lua(x)} * {lua(beta)}) / {lua(beta)}"


@op("logsigmoid", "log_sigmoid")
def logsigmoid(out, x):
    return f"-softplus(-{lua(x)})"


@op("prelu")
def prelu(out, x, weight):
    shape = [-1] + [1] * (x.rank - 2) if math.prod(weight.shape) > 1 else [1]
    return f"where(gt({lua(x)}, 0), {lua(x)}, {lua(x)} * {call('reshape', weight, shape)})"


for extreme in ("minimum", "maximum"):
    op(extreme)(lambda out, x, other, extreme=extreme: call(extreme, cast(x, out.dtype), cast(other, out.dtype)))


def compare(name):
    def write(out, x, other):
        if isinstance(x, Ref) and x.dtype == torch.bool and not isinstance(other, Ref):
            need(name in ("eq", "ne") and other in (0, 1), "a bool is compared with a number")
            return call("logical_not", x) if (name == "eq") != bool(other) else lua(x)
        refs = [operand.dtype for operand in (x, other) if isinstance(operand, Ref)]
        dtype = functools.reduce(torch.promote_types, refs)
        return call(name, cast(x, dtype), cast(other, dtype))
    return write


for name in "lt le gt ge eq ne".split():
    op(name)(compare(name))
for name, short in {"logical_and": "and", "logical_or": "or", "bitwise_and": "and", "bitwise_or": "or"}.items():
    op(name, short)(lambda out, x, other, short=short: call(f"logical_{short}", x, other))
OPS["invert"] = OPS["bitwise_not"] = lambda out, x: call("logical_not", x)


@op("where")
def where(out, condition, x, other):
    return call("where", condition, cast(x, out.dtype), cast(other, out.dtype))


@op("masked_fill")
def masked_fill(out, x, mask, value):
    return call("where", mask, value, x)


@op("addcmul")
def addcmul(out, x, tensor1, tensor2, value=1):
    return f"{lua(x)} + {lua(tensor1)} * {lua(tensor2)} * {lua(value)}"


@op("contiguous", "clone", "detach", "cpu", "alias", "identity", "pos", "requires_grad", "type_as", "float", "double",
    "half", "bfloat16", "long", "int", "bool", "to", "type")
def convert(out, x, *_, **__):
    return call("cast", x, out.dtype) if x.dtype != out.dtype else lua(x)


@op("dropout", "dropout1d", "dropout2d", "dropout3d", "feature_dropout", "alpha_dropout", "feature_alpha_dropout")
def dropout(out, x, p=0.5, training=True):
    need(p == 0 or not training, "dropout draws random numbers: make its mask an input")
    return lua(x)


@op("zeros_like", "new_zeros")
def zeros_like(out, x, *_, **__):
    return call("full", out.shape, out.dtype, 0)


@op("ones_like", "new_ones")
def ones_like(out, x, *_, **__):
    return call("full", out.shape, out.dtype, 1)


@op("full_like")
def full_like(out, x, fill_value, **_):
    return call("full", out.shape, out.dtype, fill_value)


@op("new_full")
def new_full(out, x, size, fill_value, **_):
    return call("full", out.shape, out.dtype, fill_value)


# ---------------------------------------------------------------- reductions

def axes(dim):
    """None: all of them."""
    return None if dim is None or dim == () or dim == [] else dim


def reduce(name, x, dim, keepdim):
    return call(name, x, dim=axes(dim), keep=keepdim or None)


for reduction, names in {"sum": "sum", "mean": "mean", "prod": "prod", "max": "amax", "min": "amin"}.items():
    def write_reduction(out, x, dim=None, keepdim=False, dtype=None, reduction=reduction):
        same_type(x, dtype)
        return reduce(reduction, cast(x, out.dtype), dim, keepdim)
    op(*names.split())(write_reduction)


@op("logsumexp")
def logsumexp(out, x, dim=None, keepdim=False):
    return reduce("logsumexp", x, dim, keepdim)


def extreme_of(name):
    def write(out, x, dim=None, keepdim=False):
        if isinstance(dim, Ref):
            return call(f"{name}imum", x, dim)
        if dim is None:
            return call(name, x)
        return [reduce(name, x, dim, keepdim), reduce(f"arg{name}", x, dim, keepdim)]
    return write


op("max")(extreme_of("max"))
op("min")(extreme_of("min"))


def place_of_extreme(name):
    def write(out, x, dim=None, keepdim=False):
        if dim is None:
            need(not keepdim, "it keeps all axes")
            return call(name, call("flatten", x), dim=0)
        return reduce(name, x, dim, keepdim)
    return write


op("argmax")(place_of_extreme("argmax"))
op("argmin")(place_of_extreme("argmin"))


def spread_of(name):
    def write(out, x, dim=None, unbiased=True, keepdim=False, correction=None):
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        correction = int(unbiased) if correction is None else correction
        return call(name, x, dim=axes(dim), keep=keepdim or None, correction=correction or None)
    return write


op("var")(spread_of("var"))
op("std")(spread_of("std"))


@op("norm", "vector_norm")
def norm(out, x, p=2, dim=None, keepdim=False, ord=None, dtype=None):
    same_type(x, dtype)
    order = ord if ord is not None else p
    if order == 1:
        return reduce("sum", call("abs", x), dim, keepdim)
    need(order in (2, 2.0, "fro", None), f"a norm of order {order}")
    return reduce("norm", x, dim, keepdim)


@op("normalize")
def normalize(out, x, p=2.0, dim=1, eps=1e-12):
    if p == 1:
        return f"{lua(x)} / maximum({reduce('sum', call('abs', x), dim, True)}, {lua(eps)})"
    need(p == 2, f"a norm of order {p}")
    return call("l2_normalize", x, dim=dim, eps=eps)


def along(name):
    def write(out, x, dim=None, dtype=None):
        same_type(x, dtype)
        need(dim is not None, "it names no axis")
        return call(name, x, dim=dim)
    return write


for name in "softmax log_softmax cumsum cumprod".split():
    op(name)(along(name))


@op("softmin")
def softmin(out, x, dim=None, dtype=None):
    return along("softmax")(out, f"-{lua(x)}", dim, None)


@op("topk")
def topk(out, x, k, dim=-1, largest=True, sorted=True):
    need(largest, "it takes the smallest")
    return Several(call("topk", x, k, dim=dim), 2)


class Several:
    """One expression that gives several tensors."""

    def __init__(self, text, count):
        self.text, self.count = text, count


# ---------------------------------------------------------------- contractions and windows

@op("matmul", "mm", "bmm", "mv")
def matmul(out, x, other=None, mat2=None, vec=None):
    a, b = x, next(tensor for tensor in (other, mat2, vec) if tensor is not None)
    if a.rank == 1 and b.rank == 1:
        return dot(out, a, b)
    if a.rank == 1:
        return call("squeeze", call("matmul", call("unsqueeze", a, 0), b), -2)
    if b.rank == 1:
        return call("squeeze", call("matmul", a, call("unsqueeze", b, 1)), -1)
    return call("matmul", a, b)


@op("dot", "vdot", "inner")
def dot(out, x, other):
    need(x.rank == 1 and other.rank == 1, "it takes more than two vectors")
    return f"sum({lua(x)} * {lua(other)})"


@op("outer", "ger")
def outer(out, x, vec2):
    return f"{call('unsqueeze', x, 1)} * {lua(vec2)}"


@op("addmm", "baddbmm", "addbmm", "addmv")
def addmm(out, x, mat1, mat2, beta=1, alpha=1):
    need(beta == 1 and alpha == 1 and mat2.rank > 1, "it scales its parts")
    return f"{lua(x)} + {call('matmul', mat1, mat2)}"


@op("einsum")
def einsum(out, equation, *operands):
    operands = as_list(operands)
    need(re.fullmatch(r"[A-Za-z, ]+->[A-Za-z ]*", equation), "an einsum without -> or with dots")
    return f'einsum("{equation}", {", ".join(map(lua, operands))})'


@op("linear")
def linear(out, x, weight, bias=None):
    return with_weights("linear", (x, weight), (bias,))


def window(stride=1, padding=0, dilation=1, groups=1, output_padding=0):
    """The options of a convolution, without those that are as they are by default."""
    need(not isinstance(padding, str), f"padding = {padding!r}")
    all_of = lambda value, default: all(v == default for v in (value if isinstance(value, (list, tuple)) else [value]))
    short = lambda value: value[0] if isinstance(value, (list, tuple)) and len(set(value)) == 1 else value
    given = {"stride": (stride, 1), "pad": (padding, 0), "dilation": (dilation, 1), "groups": (groups, 1),
             "output_pad": (output_padding, 0)}
    return {name: None if all_of(value, default) else short(value) for name, (value, default) in given.items()}


def convolution(n, transposed):
    name = f"conv{'_transpose' if transposed else ''}{n}d"

    def write(out, x, weight, bias=None, *args, **kwargs):
        names = "stride padding output_padding groups dilation" if transposed else "stride padding dilation groups"
        kwargs.update(zip(names.split(), args))
        need(x.rank == n + 2, "its input has no batch")
        return with_weights(name, (x, weight), (bias,), **window(**kwargs))
    op(name)(write)


for n in (1, 2, 3):
    convolution(n, False)
    convolution(n, True)


def short_list(value):
    return value[0] if isinstance(value, (list, tuple)) and len(set(value)) == 1 else value


def pooled(name, x, n, k, stride, padding, **more):
    need(x.rank in (n + 1, n + 2), "its input has too many axes")
    k = short_list(k)
    stride = short_list(stride) if stride is not None and stride != [] and stride != () else None
    options = {"k": k, "stride": None if stride == k else stride, "pad": short_list(padding) or None, **more}
    if x.rank == n + 1:
        return call("squeeze", call(name, call("unsqueeze", x, 0), **options), 0)
    return call(name, x, **options)


def max_pool(n):
    def write(out, x, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
        need(not return_indices, "it returns indices")
        dilation = short_list(dilation)
        return pooled("max_pool", x, n, kernel_size, stride, padding, dilation=None if dilation == 1 else dilation,
                      ceil=ceil_mode or None)
    op(f"max_pool{n}d")(write)


def avg_pool(n):
    def write(out, x, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
              divisor_override=None):
        need(not ceil_mode and not divisor_override, "windows that reach beyond the edge")
        need(count_include_pad or short_list(padding) == 0, "padding that is not counted")
        return pooled("avg_pool", x, n, kernel_size, stride, padding)
    op(f"avg_pool{n}d")(write)


def adaptive_pool(kind, n):
    def write(out, x, output_size, return_indices=False):
        have, want = x.shape[-n:], out.shape[-n:]
        need(all(h % w == 0 for h, w in zip(have, want)), "windows of different lengths")
        if all(w == 1 for w in want) and x.rank == n + 2:
            return call("mean" if kind == "avg" else "max", x, dim=list(range(2, n + 2)), keep=True)
        return pooled(f"{kind}_pool", x, n, [h // w for h, w in zip(have, want)], None, 0)
    op(f"adaptive_{kind}_pool{n}d")(write)


for n in (1, 2, 3):
    max_pool(n)
    avg_pool(n)
    adaptive_pool("avg", n)
    adaptive_pool("max", n)


@op("interpolate", "upsample")
def interpolate(out, x, size=None, scale_factor=None, mode="nearest", **_):
    need(mode == "nearest", f"mode = {mode!r}")
    factors = [w // h for h, w in zip(x.shape[2:], out.shape[2:])]
    need(all(h * f == w for h, f, w in zip(x.shape[2:], factors, out.shape[2:])), "a factor that is not whole")
    return repeat_each(x, {axis + 2: factor for axis, factor in enumerate(factors)})


# ---------------------------------------------------------------- norms, attention

def eps_of(eps):
    return None if eps == 1e-5 else eps


@op("batch_norm")
def batch_norm(out, x, running_mean=None, running_var=None, weight=None, bias=None, training=False, momentum=0.1,
               eps=1e-5):
    need(training, "a batch norm with running statistics")
    return with_weights("batch_norm", (x,), (weight, bias), eps=eps_of(eps))


@op("instance_norm")
def instance_norm(out, x, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True,
                  momentum=0.1, eps=1e-5, **_):
    need(use_input_stats, "an instance norm with running statistics")
    need(x.rank > 2, "its input has no batch")
    text, shape = call("instance_norm", x, eps=eps_of(eps)), [-1] + [1] * (x.rank - 2)
    text += f" * {call('reshape', weight, shape)}" if weight is not None else ""
    return text + (f" + {call('reshape', bias, shape)}" if bias is not None else "")


@op("layer_norm")
def layer_norm(out, x, normalized_shape, weight=None, bias=None, eps=1e-5, **_):
    return with_weights("layer_norm", (x, list(normalized_shape)), (weight, bias), eps=eps_of(eps))


@op("group_norm")
def group_norm(out, x, num_groups, weight=None, bias=None, eps=1e-5, **_):
    return with_weights("group_norm", (x, num_groups), (weight, bias), eps=eps_of(eps))


@op("rms_norm")
def rms_norm(out, x, normalized_shape, weight=None, eps=None):
    need(len(normalized_shape) == 1 and eps is not None, "over several axes, or without eps")
    return with_weights("rms_norm", (x,), (weight,), eps=eps_of(eps))


@op("scaled_dot_product_attention")
def attention(out, query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, **_):
    need(attn_mask is None and dropout_p == 0, "a mask or dropout")
    return call("sdpa", query, key, value, causal=is_causal or None, scale=scale)


@op("embedding")
def embedding(out, x, weight, padding_idx=None, max_norm=None, **_):
    need(max_norm is None, "it changes its weights")
    if x.bound:
        x.bound(weight.shape[0])
    return call("gather", weight, x)


# ---------------------------------------------------------------- losses

@op("mse_loss")
def mse_loss(out, x, target, reduction="mean", **_):
    return lossy(reduction, f"square({lua(x)} - {lua(target)})", call("mse_loss", x, target))


@op("l1_loss")
def l1_loss(out, x, target, reduction="mean", **_):
    return lossy(reduction, f"abs({lua(x)} - {lua(target)})", None)


def lossy(reduction, each, mean):
    if reduction == "none":
        return each
    return f"sum({each})" if reduction == "sum" else mean or f"mean({each})"


@op("smooth_l1_loss")
def smooth_l1_loss(out, x, target, reduction="mean", beta=1.0, **_):
    need(reduction == "mean" and beta > 0, f"reduction = {reduction!r}")
    return call("smooth_l1_loss", x, target, beta=None if beta == 1 else beta)


@op("huber_loss")
def huber_loss(out, x, target, reduction="mean", delta=1.0):
    text = smooth_l1_loss(out, x, target, reduction, delta)
    return text if delta == 1 else f"{text} * {lua(delta)}"


def limit(target, classes):
    if target.bound:
        target.bound(classes)


@op("cross_entropy", "cross_entropy_loss")
def cross_entropy(out, x, target, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0, **_):
    need(weight is None and reduction == "mean" and label_smoothing == 0, "weights, smoothing, or no mean")
    need(x.rank == 2 and target.rank == 1, "targets that are not one class a row")
    limit(target, x.shape[1])
    return call("cross_entropy", x, target)


@op("nll_loss")
def nll_loss(out, x, target, weight=None, ignore_index=-100, reduction="mean", **_):
    need(weight is None and reduction == "mean" and x.rank == 2, "weights, or no mean")
    limit(target, x.shape[1])
    return f"-mean({call('take', x, call('unsqueeze', target, 1), dim=1)})"


@op("kl_div")
def kl_div(out, x, target, reduction="mean", log_target=False, **_):
    need(reduction == "batchmean" and not log_target, "a mean over all, or logarithms as targets")
    return call("kl_div", x, target)


@op("binary_cross_entropy_with_logits")
def bce_with_logits(out, x, target, weight=None, reduction="mean", pos_weight=None, **_):
    need(weight is None and pos_weight is None, "weights")
    a, b = lua(x), lua(target)
    return lossy(reduction, f"maximum({a}, 0) - {a} * {b} + log1p(exp(-abs({a})))", None)


@op("triplet_margin_loss")
def triplet_margin_loss(out, anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False, reduction="mean", **_):
    need(p == 2 and not swap and reduction == "mean", "another norm, a swap, or no mean")
    return call("triplet_margin_loss", anchor, positive, negative, margin=margin, eps=eps)


@op("cosine_similarity")
def cosine_similarity(out, x1, x2, dim=1, eps=1e-8):
    sizes = f"{call('norm', x1, dim=dim)} * {call('norm', x2, dim=dim)}"
    return f"{call('sum', f'{lua(x1)} * {lua(x2)}', dim=dim)} / maximum({sizes}, {lua(eps)})"


# ---------------------------------------------------------------- movement

@op("view", "reshape", "view_as", "reshape_as", "unflatten")
def reshape(out, x, *args, **_):
    need(out.dtype == x.dtype, "it reads the same bytes as another type")
    given = as_list(args)
    if all(isinstance(d, int) for d in given) and len(given) == len(out.shape) and given.count(-1) == 1:
        return call("reshape", x, given)
    return call("reshape", x, out.shape)


@op("flatten", "ravel")
def flatten(out, x, start_dim=0, end_dim=-1):
    return call("flatten", x, start_dim, *([end_dim] if end_dim != -1 else []))


@op("permute")
def permute(out, x, *dims, **kwargs):
    return call("permute", x, as_list(dims or (kwargs["dims"],)))


@op("transpose", "swapaxes", "swapdims")
def transpose(out, x, dim0, dim1):
    return call("transpose", x, dim0, dim1)


@op("t", "T", "mT", "adjoint")
def turned(out, x):
    return call("transpose", x) if x.rank >= 2 else lua(x)


@op("getattr")
def attribute(out, x, name):
    need(name in ("T", "mT") and x.rank == 2 or name == "mT", f".{name}")
    return turned(out, x)


@op("squeeze")
def squeeze(out, x, dim=None):
    return call("squeeze", x, dim) if isinstance(dim, int) and out.shape != x.shape else call("reshape", x, out.shape)


@op("unsqueeze")
def unsqueeze(out, x, dim):
    return call("unsqueeze", x, dim)


@op("expand", "expand_as", "broadcast_to")
def expand(out, x, *_, **__):
    return call("expand", x, out.shape)


def repeat_each(x, factors):
    """Every element of some axes so many times in a row."""
    wide, tall, shape = [], [], []
    for axis, d in enumerate(x.shape):
        wide += [d, 1] if axis in factors else [d]
        tall += [d, factors[axis]] if axis in factors else [d]
        shape.append(d * factors.get(axis, 1))
    return call("reshape", call("expand", call("reshape", x, wide), tall), shape)


@op("repeat", "tile")
def repeat(out, x, *args):
    times = as_list(args)
    need(len(times) >= x.rank, "fewer numbers than axes")
    shape = [1] * (len(times) - x.rank) + list(x.shape)
    text = call("reshape", x, shape) if len(times) > x.rank else x
    for axis, count in enumerate(times):
        if count != 1:
            text = call("concat", "{ " + ", ".join([lua(text)] * count) + " }", dim=axis)
    return lua(text)


@op("repeat_interleave")
def repeat_interleave(out, x, repeats, dim=None, **_):
    need(isinstance(repeats, int) and dim is not None, "numbers that differ, or no axis")
    return repeat_each(x, {dim % x.rank: repeats})


@op("cat", "concat", "concatenate")
def concat(out, tensors, dim=0):
    return call("concat", [cast(x, out.dtype) for x in tensors], dim=dim)


@op("stack")
def stack(out, tensors, dim=0):
    return call("stack", tensors, dim=dim)


@op("split", "tensor_split", "split_with_sizes")
def split(out, x, split_size_or_sections=None, dim=0, split_size=None):
    lengths = [kind.shape[dim] for kind in out]
    return Several(call("split", x, lengths if len(set(lengths)) > 1 else len(lengths), dim=dim), len(lengths))


@op("chunk")
def chunk(out, x, chunks, dim=0):
    return split(out, x, None, dim)


@op("unbind")
def unbind(out, x, dim=0):
    return [call("select", x, dim, i) for i in range(len(out))]


@op("narrow")
def narrow(out, x, dim, start, length):
    return call("slice", x, dim, start, start + length)


@op("select")
def select(out, x, dim, index):
    return call("select", x, dim, index)


@op("flip")
def flip(out, x, *dims, **kwargs):
    return call("flip", x, dim=as_list(dims or (kwargs["dims"],)))


@op("roll")
def roll(out, x, shifts, dims=None):
    shifts, dims = ([v] if isinstance(v, int) else list(v or ()) for v in (shifts, dims))
    need(dims, "it rolls over all axes at once")
    text = lua(x)
    for shift, dim in zip(shifts, dims):
        text = call("roll", text, shift, dim=dim)
    return text


for name in ("tril", "triu"):
    op(name)(lambda out, x, diagonal=0, name=name: call(name, x, *([diagonal] if diagonal else [])))


@op("pad")
def pad(out, x, pad, mode="constant", value=None):
    need(mode == "constant", f"mode = {mode!r}")
    text = lua(x)
    for i in range(0, len(pad), 2):
        before, after = pad[i], pad[i + 1]
        if before < 0 or after < 0:
            text = call("slice", text, -1 - i // 2, -min(before, 0), min(after, 0) or None)
        if before > 0 or after > 0:
            text = call("pad", text, -1 - i // 2, max(before, 0), max(after, 0), value=value or None)
    return text


@op("gather", "take_along_dim")
def gather(out, x, dim, index):
    return call("take", x, index, dim=dim)


@op("index_select")
def index_select(out, x, dim, index):
    return call("gather", x, index, dim=dim)


@op("getitem")
def getitem(out, x, index):
    parts = list(index) if isinstance(index, tuple) else [index]
    if any(part is Ellipsis for part in parts):
        used = sum(part is not None and part is not Ellipsis for part in parts)
        at = [part is Ellipsis for part in parts].index(True)
        parts[at : at + 1] = [slice(None)] * (x.rank - used)
    text, axis, have = lua(x), 0, list(x.shape)
    for part in parts:
        if part is None:
            text, axis = call("unsqueeze", text, axis), axis + 1
            have.insert(axis - 1, 1)
        elif isinstance(part, bool) or not isinstance(part, (int, slice, Ref)):
            raise Untranslated("an index of another kind")
        elif isinstance(part, int):
            text = call("select", text, axis, part)
            have.pop(axis)
        elif isinstance(part, Ref):
            need(part.dtype == torch.int64, "a mask as an index")
            need(sum(isinstance(other, Ref) for other in parts) == 1, "several tensors as an index")
            if part.bound:
                part.bound(have[axis])
            text, axis = call("gather", text, part, dim=axis), axis + part.rank
            have[axis - part.rank : axis - part.rank + 1] = part.shape
        else:
            text = sliced(text, axis, part, have[axis])
            have[axis] = len(range(*part.indices(have[axis])))
            axis += 1
    return text


def sliced(text, axis, part, length):
    start, stop, step = part.start, part.stop, part.step or 1
    stop = None if stop is not None and stop >= length else stop
    start = None if start == 0 or start is not None and start < -length else start
    if start is None and stop is None and step == 1:
        return text
    words = [start if start is not None else 0] if stop is None and step == 1 else [start, stop]
    return call("slice", text, axis, *words, *([step] if step != 1 else []))


# ---------------------------------------------------------------- constants

def constant(tensor):
    """A tensor that forward made of nothing: one number, an index along an axis, a triangle."""
    need(tensor.dtype in DTYPES and tensor.numel() > 0, f"a constant of type {tensor.dtype}")
    first = tensor.flatten()[0].item()
    if bool((tensor == first).all()):
        value = int(first) if isinstance(first, bool) else first
        if tensor.dtype == torch.bool:
            return call("ge", call("full", tensor.shape, torch.int64, value), 1)
        return call("full", tensor.shape, tensor.dtype, value)
    text = counted(tensor) or triangle(tensor)
    need(text, f"a constant of shape {list(tensor.shape)}: make it a param() or an input")
    return text


def counted(tensor):
    """first + i * step along the only axis that is longer than 1."""
    flat = tensor.flatten()
    if max(tensor.shape) != flat.numel() or tensor.dtype in (torch.bool, torch.uint8):
        return None
    first, step = flat[0].item(), (flat[1] - flat[0]).item()
    if not torch.equal(flat, (torch.arange(flat.numel(), dtype=torch.float64) * step + first).to(flat.dtype)):
        return None
    text = call("iota", [flat.numel()], torch.int64, 0)
    if tensor.dtype != torch.int64:
        text = call("cast", text, tensor.dtype)
    text += f" * {lua(step)}" if step != 1 else ""
    text += f" + {lua(first)}" if first != 0 else ""
    return text if tensor.dim() == 1 else call("reshape", text, tensor.shape)


def triangle(tensor):
    """Two values, one on and below a diagonal, the other above it."""
    if tensor.dim() < 2 or math.prod(tensor.shape[:-2]) != 1:
        return None
    square = tensor.reshape(tensor.shape[-2:])
    rows, columns = square.shape
    low, high = square[-1, 0].item(), square[0, -1].item()
    below = square == low
    diagonal = int(below[0].sum()) - 1
    if not torch.equal(below, torch.ones_like(below).tril(diagonal)) or not bool((square[~below] == high).all()):
        return None
    row, column = (call("iota", [rows, columns], torch.int64, axis) for axis in (0, 1))
    row += f" + {lua(diagonal)}" if diagonal else ""
    if tensor.dtype == torch.bool:
        text = call("ge" if low else "lt", row, column)
    elif (low, high) == (1, 0):
        text = call("cast", call("ge", row, column), tensor.dtype)
    else:
        text = call("where", call("ge", row, column), call("full", [rows, columns], tensor.dtype, low), high)
    return text if tensor.dim() == 2 else call("reshape", text, tensor.shape)
