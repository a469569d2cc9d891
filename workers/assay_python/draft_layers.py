# SPDX-License-Identifier: MIT
"""Layers of torch.nn that the problem language has, too. A module that is none of these is traced
through, down to functions (draft_ops.py)."""
import math

import torch
from torch import nn

from .draft_ops import DTYPES, Ref, Several, Untranslated, call, need, short_list, window

LAYERS = {}


def layer(*kinds):
    """Adds a function of a module that gives (name in nn, arguments, options), or None: it has settings
    that the language lacks."""
    def add(function):
        LAYERS.update(dict.fromkeys(kinds, function))
        return function
    return add


def layer_of(module):
    """A function of the layer's quoted name that writes its declaration, or None."""
    describe = LAYERS.get(type(module))
    found = describe(module) if describe else None
    if not found:
        return None
    name, args, options = found
    dtype = next(module.parameters()).dtype
    if dtype not in DTYPES:
        return None
    options["dtype"] = None if dtype == torch.float32 else DTYPES[dtype]
    return lambda label: call(f"nn.{name}", label, *args, **options)


def law(name, *values):
    return f"{name}({', '.join(f'{value:.2g}' for value in values)})"


def gain_of(weight):
    """The bound of the weights beside PyTorch's own; None: about the same."""
    fan_in = math.prod(weight.shape[1:])
    if weight.numel() < 64 or fan_in == 0:
        return None
    gain = float(weight.detach().float().std()) * math.sqrt(3 * fan_in)
    return None if abs(gain - 1) < 0.2 or not 0 < gain < math.inf else f"{gain:.2g}"


def law_of(value):
    """A law for a parameter of no layer. Constants are drawn, too: a kernel could skip them."""
    value = value.detach().double()
    first = float(value.flatten()[0]) if value.numel() else 0.0
    if not bool(torch.isfinite(value).all()):
        return "normal()"
    if value.numel() < 2 or bool((value == first).all()):
        return law("normal", first, 0.25 * max(1.0, abs(first)))
    mean, deviation = float(value.mean()), float(value.std())
    if float(value.min()) >= 0:
        return law("uniform", 0, float(value.max()))
    if abs(mean) < 3 * deviation / math.sqrt(value.numel()):
        mean = 0.0
    if mean == 0 and abs(deviation - 1) < 0.25:
        return "normal()"
    return law("normal", mean, deviation)


def no_bias(module):
    return False if module.bias is None else None


@layer(nn.Linear)
def linear(m):
    return "linear", (m.in_features, m.out_features), {"bias": no_bias(m), "gain": gain_of(m.weight)}


def convolution(m, n, transposed):
    padding = m.padding
    if padding == "valid":
        padding = 0
    if padding == "same":
        ends = [d * (k - 1) for d, k in zip(m.dilation, m.kernel_size)]
        if any(end % 2 for end in ends):
            return None
        padding = [end // 2 for end in ends]
    if m.padding_mode != "zeros":
        return None
    options = window(m.stride, padding, m.dilation, m.groups, m.output_padding if transposed else 0)
    if not transposed:
        del options["output_pad"]
    return (f"conv{'_transpose' if transposed else ''}{n}d", (m.in_channels, m.out_channels),
            {"k": short_list(m.kernel_size), **options, "bias": no_bias(m), "gain": gain_of(m.weight)})


for n, (plain, turned) in enumerate([(nn.Conv1d, nn.ConvTranspose1d), (nn.Conv2d, nn.ConvTranspose2d),
                                     (nn.Conv3d, nn.ConvTranspose3d)], 1):
    layer(plain)(lambda m, n=n: convolution(m, n, False))
    layer(turned)(lambda m, n=n: convolution(m, n, True))


def eps_of(m):
    return {"eps": None if m.eps == 1e-5 else m.eps}


@layer(nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)
def batch_norm(m):
    return ("batch_norm", (m.num_features,), eps_of(m)) if m.affine and m.training else None


@layer(nn.GroupNorm)
def group_norm(m):
    return ("group_norm", (m.num_groups, m.num_channels), eps_of(m)) if m.affine else None


@layer(nn.LayerNorm)
def layer_norm(m):
    if m.weight is None or m.bias is None:
        return None
    shape = list(m.normalized_shape)
    return "layer_norm", (shape if len(shape) > 1 else shape[0],), eps_of(m)


def drops_nothing(m):
    return m.dropout == 0 or not m.training


@layer(nn.MultiheadAttention)
def attention(m):
    if not m._qkv_same_embed_dim or m.in_proj_bias is None or m.bias_k is not None or m.add_zero_attn:
        return None
    if not drops_nothing(m):
        return None
    return "mha", (m.embed_dim, m.num_heads), {"batch_first": m.batch_first or None}


@layer(nn.LSTM, nn.GRU, nn.RNN)
def recurrent(m):
    if not m.bias or not drops_nothing(m) or getattr(m, "proj_size", 0) or getattr(m, "nonlinearity", "tanh") != "tanh":
        return None
    return type(m).__name__.lower(), (m.input_size, m.hidden_size), {
        "layers": m.num_layers if m.num_layers > 1 else None, "bidirectional": m.bidirectional or None,
        "batch_first": m.batch_first or None}


@layer(nn.TransformerEncoderLayer)
def encoder_layer(m):
    plain = m.activation is nn.functional.relu or isinstance(m.activation, nn.ReLU)
    parts = m.dropout, m.dropout1, m.dropout2
    if m.norm_first or not plain or any(part.p and part.training for part in parts) or m.norm1.eps != 1e-5 or \
            attention(m.self_attn) is None or m.linear1.bias is None:
        return None
    return "encoder_layer", (m.linear1.in_features, m.self_attn.num_heads, m.linear1.out_features), {
        "batch_first": m.self_attn.batch_first or None}


def only_none(values, what):
    need(all(value is None or value is False for value in values), what)


def apply(module, text, args, kwargs):
    """The call of a layer."""
    if isinstance(module, nn.MultiheadAttention):
        return apply_attention(text, *args, **kwargs)
    if isinstance(module, nn.RNNBase):
        return apply_recurrent(module, text, *args, **kwargs)
    if isinstance(module, nn.TransformerEncoderLayer):
        only_none([*args[1:], *kwargs.values()], "a mask")
    else:
        need(len(args) == 1 and not kwargs, "it takes more than one tensor")
    need(isinstance(args[0], Ref), "its input is no tensor")
    return f"{text}({args[0].text})"


def apply_attention(text, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, **_):
    need(query.text == key.text == value.text, "attention to another tensor")
    only_none([key_padding_mask, attn_mask], "attention with a mask")
    need(query.rank == 3, "attention without a batch")
    return [f"{text}({query.text})", None]


def apply_recurrent(module, text, x, states=None):
    need(x.rank == 3, "a sequence without a batch")
    given = list(states) if isinstance(states, (list, tuple)) else [states] if states is not None else []
    if any(not isinstance(state, Ref) for state in given):
        raise Untranslated("its states are no tensors")
    return Several(f"{text}({', '.join(ref.text for ref in [x, *given])})", 3 if isinstance(module, nn.LSTM) else 2)
