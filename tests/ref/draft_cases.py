# SPDX-License-Identifier: MIT
"""Modules whose drafts are checked (drafts.py): each names what the draft has to say, or why there is none."""
import torch
import torch.nn.functional as F
from torch import nn

CASES = []


class Case:
    """says: patterns of the text. untranslated: a pattern of what is named. untraceable: why there is no draft."""

    def __init__(self, name, model, inputs, says=(), untranslated="", untraceable="", loads=True):
        self.name, self.model, self.inputs, self.says = name, model, inputs, says
        self.untranslated, self.untraceable, self.loads = untranslated, untraceable, loads


def shapes(*sizes):
    return lambda: [torch.randn(*size) for size in sizes]


def case(name, *sizes, **kwargs):
    """A case of one function of its inputs."""
    def add(function):
        inputs = kwargs.pop("inputs", None) or shapes(*sizes)

        class Model(nn.Module):
            def forward(self, *args):
                return function(*args)

        CASES.append(Case(name, Model, inputs, **kwargs))
        return function
    return add


def layers(name, make, *sizes, **kwargs):
    """A case of a module of torch.nn, held by a module of ours."""
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.part = make()

        def forward(self, *args):
            return self.part(*args)

    CASES.append(Case(name, Model, kwargs.pop("inputs", None) or shapes(*sizes), **kwargs))


# ---------------------------------------------------------------- lengths

case("lengths_square", (96, 96), (96, 96), says=[r"B = 96", r"\{ B, B \}"])(lambda a, b: a @ b)
case("lengths_scaled", (512, 1024), says=[r"full = \{ B = 512, N = 1024 \}", r"small = \{ B = 64, N = 1024 \}"])(torch.tanh)
case("lengths_of_view", (16, 12, 20), says=[r"reshape\(x0, \{ B \* T, 20 \}\)"])(
    lambda x: x.view(x.size(0) * x.size(1), 20) * 2)
case("lengths_of_pixels", (2, 3, 16, 16), says=[r"H \* H"])(lambda x: x.reshape(2, 3, x.size(2) * x.size(3)).exp())
layers("lengths_fixed_by_weights", lambda: nn.Linear(40, 24), (128, 40), says=[r"\{ B, 40 \}"])
layers("lengths_equal_by_chance", lambda: nn.Linear(32, 24), (32, 32), says=[r"\{ B, 32 \}"])
case("lengths_of_scalar_results", (4096, 64), says=[r"small = \{ B = 1024, N = 64 \}"])(lambda x: x.sum(1).exp())


# ---------------------------------------------------------------- steps

@case("in_place", (16, 32))
def in_place(x):
    y = x * 2
    z = y
    y.add_(1)
    z = F.relu(z, inplace=True)
    z += x
    return torch.tanh(y) + z


@case("over_time", (8, 6, 16))
def over_time(x):
    h = torch.zeros(x.size(0), 16)
    for t in range(x.shape[1]):
        h = torch.tanh(h + x[:, t])
    return h


@case("indices", (6, 8, 20), says=[r"slice\(", r"select\("])
def indices(x):
    return x[..., 2:10:2] + x[:, None, -1, -4:].expand(6, 8, 4) * x[0, 0, 3]


@case("parts", (6, 8, 20))
def parts(x):
    a, b, c = x.chunk(3, dim=2)
    d, e = x.split([3, 5], dim=1)
    values, places = x.topk(4, dim=-1)
    top = x.max(dim=1)
    return a.sum(), b * 2, c[:, 0], torch.cat([d, e, d], 1), values, places, top.values, top.indices, x.argmin(1)


@case("movement", (4, 6, 10))
def movement(x):
    y = x.permute(0, 2, 1).contiguous().flatten(1).unsqueeze(1).squeeze(1)
    z = torch.stack([x, x.flip(-1), x.roll((1, 2), (0, 1))], dim=1).repeat(1, 1, 2, 1)
    w = F.pad(x, (1, 2, 3, -1), value=0.5).repeat_interleave(2, dim=2)
    return y.mean(), z.transpose(1, 3), w, x.T if x.dim() == 2 else x.mT, F.interpolate(x.unsqueeze(1), scale_factor=2)


@case("elementwise", (8, 32), (8, 32))
def elementwise(x, y):
    z = torch.where(x > y, x, 0.5 - y) + x.clamp(min=-1) * y.clamp(-0.5, 0.5) - torch.maximum(x, y) / (x.abs() + 1)
    z = z + F.softplus(x, beta=2) * F.logsigmoid(y) + F.elu(x, 0.7) ** 3 + (x * y).pow(2) - 2 / (1 + y ** 2)
    return z.masked_fill((x < 0) & ~(y > 0), -1.5) + torch.sub(x, y, alpha=2) + x.neg().ceil() + x // 2


@case("reductions", (6, 8, 20))
def reductions(x):
    return (x.var(dim=1), x.std(), torch.norm(x, dim=-1, keepdim=True), x.norm(p=1, dim=1), F.normalize(x, dim=2), x.prod(1),
            torch.logsumexp(x, (1, 2)), x.cumsum(1), x.amax((0, 1)), F.log_softmax(x, -1), torch.mean(x, [0, 2], True))


@case("products", (4, 6, 10), (4, 10, 6), (10,))
def products(a, b, v):
    return torch.bmm(a, b), torch.einsum("bij,bjk->bik", a, b), a @ v, torch.outer(v, v), torch.addmm(a[0] @ b[0], a[1], b[1])


@case("masks", (2, 3, 12, 12), says=["iota"])
def masks(x):
    n = x.size(-1)
    causal = torch.triu(torch.ones(n, n), diagonal=1).bool()
    x = x.masked_fill(causal, float("-inf")).softmax(-1)
    return x * torch.arange(n) + torch.tril(x, -1) + torch.full((n,), 3.0)


@case("pools", (2, 4, 12, 12))
def pools(x):
    return (F.max_pool2d(x, 3, 2, 1), F.avg_pool2d(x, (2, 3)), F.adaptive_avg_pool2d(x, 1), F.adaptive_avg_pool2d(x, (3, 4)),
            F.adaptive_max_pool2d(x, 2), F.max_pool1d(x[0], 2))


@case("losses", (16, 10), (16, 10))
def losses(x, y):
    return (F.mse_loss(x, y), F.l1_loss(x, y, reduction="sum"), F.smooth_l1_loss(x, y), F.huber_loss(x, y, delta=2.0),
            F.triplet_margin_loss(x, y, x.roll(1, 0)), F.cosine_similarity(x, y),
            F.kl_div(x.log_softmax(1), y.softmax(1), reduction="batchmean"))


CASES.append(Case("classes", lambda: Classes(), lambda: [torch.randn(16, 10), torch.randint(0, 5, (16,))],
                  says=[r"ints\(0, 10\)"]))
CASES.append(Case("scalars", lambda: Scaled(), lambda: [torch.randn(8, 32), 2.5], says=[r'scalar\("factor", 2.5\)']))
CASES.append(Case("words", lambda: Words(), lambda: [torch.randint(0, 9, (4, 6))], says=[r"ints\(0, 50\)", "gather"]))


class Classes(nn.Module):
    def forward(self, logits, target):
        return F.cross_entropy(logits, target) + F.nll_loss(logits.log_softmax(1), target)


class Scaled(nn.Module):
    def forward(self, x, factor):
        return x * factor


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(50, 16)
        self.places = nn.Parameter(torch.zeros(1, 6, 16))

    def forward(self, x):
        return self.words(x) + self.places


# ---------------------------------------------------------------- layers

layers("convolutions", lambda: nn.Sequential(
    nn.Conv2d(4, 8, 3, padding="same", groups=2, bias=False), nn.PReLU(8), nn.InstanceNorm2d(8, affine=True),
    nn.ConvTranspose2d(8, 4, (2, 3), stride=2), nn.BatchNorm2d(4, eps=1e-3), nn.Hardswish(), nn.Dropout(0.0)), (2, 4, 10, 10))
layers("norms", lambda: nn.Sequential(nn.LayerNorm(32, elementwise_affine=False), nn.GroupNorm(4, 8, eps=1e-3, affine=False),
                                      nn.BatchNorm1d(8, affine=False), nn.GroupNorm(2, 8)), (6, 8, 32))
layers("encoder", lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 4, 48, dropout=0.0, batch_first=True), 2,
                                                enable_nested_tensor=False), (2, 6, 32), says=["nn.encoder_layer"])
CASES.append(Case("recurrent", lambda: Recurrent(), shapes((7, 3, 12)), says=["nn.rnn", "nn.lstm"]))
CASES.append(Case("gains", lambda: Gains(), shapes((16, 64)), says=["gain = 2 "]))
CASES.append(Case("shared", lambda: Shared(), shapes((8, 32))))


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.RNN(12, 16), nn.LSTM(16, 8, bidirectional=True)

    def forward(self, x):
        y, (h, c) = self.second(self.first(x)[0])
        return y, h, c


class Gains(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(64, 64)
        nn.init.uniform_(self.fc.weight, -0.25, 0.25)

    def forward(self, x):
        return self.fc(x)


class Shared(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(32, 32)

    def forward(self, x):
        return self.fc(torch.relu(self.fc(x)))


# ---------------------------------------------------------------- what is named, and what is refused

case("fft", (8, 32), untranslated=r"line \d+: fft_fft: the language has nothing", says=[r'input\("untranslated_'])(
    lambda x: torch.fft.fft(x).real + x)
case("sorted_rows", (8, 32), untranslated=r"line \d+: sort: ", says=[r'input\("untranslated_1_0", f32, \{ B, N \}\)'])(
    lambda x: torch.sort(x, dim=1)[0] * 2)
layers("dropped", lambda: nn.Dropout(0.5), (8, 32), untranslated="dropout: dropout draws random numbers: make its mask an input")
layers("running", lambda: nn.BatchNorm1d(32).eval(), (8, 32), untranslated="batch_norm: a batch norm with running statistics")
layers("circular", lambda: nn.Conv1d(4, 4, 3, padding=1, padding_mode="circular"), (2, 4, 16), untranslated="pad: mode = 'circular'")
case("random_constant", (8, 32), untranslated=r"a constant of shape \[32\]")(lambda x: x + torch.randn(32))
case("complex_result", (8, 32), untranslated="output fft_fft: it is not translated", loads=False)(lambda x: torch.fft.fft(x))
case("unused_input", (8, 32), (8, 32), untranslated="input x1: no output")(lambda x, y: torch.fft.fft(x).real.abs())

case("by_values", (8, 32), untraceable=r"decides by a tensor's values \(line \d+\)")(lambda x: x if x.sum() > 0 else -x)
case("item", (8, 32), untraceable=r"item\(\) makes a plain value")(lambda x: x * x.max().item())
case("part_written", (8, 32), untraceable="writes to a part of a tensor")(lambda x: part_written(x))
case("view_changed", (8, 32), untraceable="in place, of which it also has a view")(lambda x: view_changed(x * 2))
case("dict", (8, 32), untraceable="forward returns a dict")(lambda x: {"y": x * 2})
case("raises", (8, 32), untraceable=r"RuntimeError: .*\(line \d+\)")(lambda x: x @ x)
CASES.append(Case("counts", lambda: Counts(), shapes((8, 32)), untraceable="something else when it is called again"))
case("endless", (8, 32), untraceable="more than 5000 steps")(lambda x: sum((x for _ in range(6000)), x))


class Counts(nn.Module):
    calls = 0

    def forward(self, x):
        self.calls += 1
        return x * self.calls


def part_written(x):
    y = x * 2
    y[0] = 1
    return y


def view_changed(x):
    y = x.view(-1)
    y.add_(1)
    return x + y.view(8, 32)


class Quotes(nn.Module):
    """Names that would be Lua."""

    def __init__(self):
        super().__init__()
        self.add_module('a") output("x', nn.Linear(32, 32))
        self.register_parameter("b\n'\\", nn.Parameter(torch.randn(32)))

    def forward(self, input):
        return getattr(self, 'a") output("x')(input) + getattr(self, "b\n'\\")


CASES.append(Case("quotes", Quotes, shapes((8, 32)), loads=False, says=[r'm\["a\\"\) output\(\\"x"\] = ', r"local input_ = "]))
