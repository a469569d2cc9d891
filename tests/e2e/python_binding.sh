# Rules by which a candidate's parameters are found, results are checked and objects made anew; and the structures that
# Python shares with libassay-runner.so. Needs torch for the second half.
# san: no, PyTorch does the work
# covers: workers/assay_python/binding.py workers/assay_python/calls.py workers/assay_python/library.py
set -u
cat >sizes.c <<'END'
#include "python/python_runner.h"
#include <stdio.h>
#define FIELD(s, f) printf(#s "." #f " %zu\n", __builtin_offsetof(struct s, f))
int main(void)
{
    printf("python_tensor %zu\npython_glue %zu\nsandbox_birth %zu\npython_role %zu\n", sizeof(struct python_tensor),
           sizeof(struct python_glue), sizeof(struct sandbox_birth), sizeof(struct python_role));
    FIELD(python_glue, open); FIELD(python_glue, copy); FIELD(python_glue, save);
    FIELD(python_role, device); FIELD(python_role, read_paths); FIELD(python_role, program_paths);
    FIELD(sandbox_birth, builds);
    FIELD(python_tensor, dtype); FIELD(python_tensor, rank); FIELD(python_tensor, dim); FIELD(python_tensor, data);
    FIELD(python_glue, load); FIELD(python_glue, values); FIELD(python_glue, prepare); FIELD(python_glue, call); FIELD(python_glue, text);
    FIELD(python_glue, text_bytes); FIELD(python_glue, note); FIELD(python_glue, results); FIELD(python_glue, n_results);
    FIELD(sandbox_birth, between); FIELD(sandbox_birth, fds); FIELD(sandbox_birth, n_fds); FIELD(sandbox_birth, out_fd);
    FIELD(sandbox_birth, group_fd); FIELD(sandbox_birth, scratch);
    for (int t = 0; t < DT_COUNT; t++)
        printf("dtype %s\n", (const char *[]){"f64", "f32", "f16", "bf16", "f8e4m3", "f8e5m2", "i64", "i32", "i8", "u8",
                                              "bool"}[t]);
    return 0;
}
END
sed -i 's|#include <stdio.h>|#include "tensor/dtype.h"\n#include <stdio.h>|' sizes.c
gcc -D_GNU_SOURCE -I"$ROOT/src" -o sizes sizes.c && ./sizes >c.txt || exit 1
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$ROOT/workers"
python3 - <<'END' || exit 1
import ctypes, importlib.util, os, sys

def load(name):  # without the package, which imports torch nowhere but in its parts
    path = f"{os.environ['PYTHONPATH']}/assay_python/{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

library, binding = load("library"), load("binding")
names = {"python_tensor": library.Tensor, "python_glue": library.Glue, "sandbox_birth": library.Birth,
         "python_role": library.Role}
for line in open("c.txt"):
    what, number = line.split()
    if what == "dtype":
        continue
    struct, _, field = what.partition(".")
    got = getattr(names[struct], field).offset if field else ctypes.sizeof(names[struct])
    assert got == int(number), (what, got, number)

F = "float32"
def case(wanted, have, expected, left=()):
    bound, rest = binding.bind({n: (tuple(s), F) for n, s in wanted}, {n: (tuple(s), F) for n, s in have})
    assert {n: b for n, (b, _) in bound.items()} == expected, (bound, expected)
    assert rest == list(left), (rest, left)
    return {rule for _, rule in bound.values()}

assert case([("a.weight", [4]), ("a.bias", [4])], [("a.bias", [4]), ("a.weight", [4])],
            {"a.weight": "a.weight", "a.bias": "a.bias"}) == {"name"}
assert case([("ln.weight", [4]), ("ln.bias", [4])], [("model.LN_bias", [4]), ("model.LN_weight", [4])],
            {"ln.weight": "model.LN_weight", "ln.bias": "model.LN_bias"}) == {"normalised"}
assert case([("conv.weight", [4, 3]), ("conv.bias", [4])], [("k", [4, 3]), ("c", [4])],
            {"conv.weight": "k", "conv.bias": "c"}) == {"shape"}
# Order among equal shapes, weight with weight and bias with bias.
assert case([("a.weight", [4]), ("a.bias", [4]), ("b.weight", [4]), ("b.bias", [4])],
            [("x_b", [4]), ("x_w", [4]), ("y_b", [4]), ("y_w", [4])],
            {"a.weight": "x_w", "a.bias": "x_b", "b.weight": "y_w", "b.bias": "y_b"}) == {"order"}
# A list's numbers say nothing about the kind.
assert case([("a.bias", [4]), ("a.weight", [4]), ("b.bias", [4]), ("b.weight", [4])],
            [("weights.0", [4]), ("weights.1", [4]), ("biases.0", [4]), ("biases.1", [4])],
            {"a.bias": "biases.0", "a.weight": "weights.0", "b.bias": "biases.1", "b.weight": "weights.1"}) == {"order"}
# A weight is never taken for a bias, nor another shape for this one; others of the candidate's stay as they are.
case([("a.weight", [4]), ("a.bias", [4])], [("p", [4]), ("q", [4])], {}, ["a.weight", "a.bias"])
case([("a.weight", [4])], [("a.weight", [5])], {}, ["a.weight"])
case([("a.weight", [4])], [("a.weight", [4]), ("mine", [4])], {"a.weight": "a.weight"})
case([("a", [4]), ("c", [4])], [("x", [4])], {}, ["a", "c"])
assert binding.bind({"a": ((4,), F)}, {"a": ((4,), "float64")}) == ({}, ["a"])
END

for python in ${ASSAY_PYTHON:-python3 /usr/bin/python3}; do
    "$python" -c 'import torch' 2>/dev/null && break
    python=
done
[ -n "${python:-}" ] || { echo "no torch"; exit 77; }
"$python" - <<'END'
import torch
from assay_python import binding, calls

assert list(calls.NAMES) == [line.split()[1] for line in open("c.txt") if line.startswith("dtype")]

model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))
model.register_buffer("scales", torch.ones(2))
assert set(binding.members(model)) == {"0.weight", "0.bias", "1.weight", "1.bias", "scales"}

def wrong(word, result, outputs):
    call = calls.Call(lambda: result, calls.Parameters([]), [], [], outputs, ["y", "z"], False)
    try:
        call()
    except calls.Wrong as error:
        assert str(error).startswith(word + ": "), error
    else:
        assert False, (word, result)

y = torch.zeros(2, 3)
wrong("type", None, [y])
wrong("type", [y, y], [y])
wrong("type", y, [y, y])
wrong("type", torch.nn.Parameter(y), [y])
wrong("type", torch.eye(3).to_sparse(), [y])
wrong("type", y.to("meta"), [y])
wrong("shape", torch.zeros(3, 2), [y])
wrong("dtype", y.double(), [y])
for result in (torch.ones(2, 3), (torch.ones(2, 3),), torch.ones(3, 2).t(), torch.ones(1, 3).expand(2, 3)):
    y.zero_()
    calls.Call(lambda: result, calls.Parameters([]), [], [], [y], ["y"], False)()
    assert torch.equal(y, torch.ones(2, 3))

# Parameters: the same objects on other memory, with a higher version each time. Inputs: new objects.
linear, seen = torch.nn.Linear(3, 2).requires_grad_(False), []
mine = [linear.weight, linear.bias]
parameters = calls.Parameters(mine)
arenas = [(torch.full((2, 3), float(k)), torch.full((2,), float(k))) for k in (1, 2)]
x, y = torch.ones(1, 3), torch.zeros(1, 2)
def forward(value, number):
    seen.append((id(value), value, linear.weight._version, number))
    return linear(value)
for k in (0, 1, 0):
    calls.Call(forward, parameters, [x, 2.5], list(arenas[k]), [y], ["y"], False)()
    assert y.tolist() == [[4.0 * (k + 1)] * 2], y
    assert linear.weight.data_ptr() == arenas[k][0].data_ptr()
assert mine[0] is linear.weight
assert len({i for i, *_ in seen}) == 3 and [v for *_, v, _ in seen] == sorted({v for *_, v, _ in seen})
assert all(number == 2.5 for *_, number in seen)

# Results that are named: where they lie, made contiguous, and out of the arena of inputs.
from assay_python import library
table = library.Results()
results = calls.Results(table)
def named(function, outputs, names=("y", "z")):
    call = calls.Call(function, calls.Parameters([]), [x], [], outputs, list(names), False)
    call.name_results(results, [x])
    call()
    return results.tensors, [table.address[i] for i in range(table.count)]
own = torch.ones(1, 3)
kept, where = named(lambda value: own, [torch.zeros(1, 3)])
assert where == [own.data_ptr()]
kept, where = named(lambda value: value, [torch.zeros(1, 3)])
assert where != [x.data_ptr()] and kept[0].tolist() == x.tolist() and where == [kept[0].data_ptr()]
kept, where = named(lambda value: value[:, 1:], [torch.zeros(1, 2)])
assert not x.data_ptr() <= where[0] < x.data_ptr() + 12
kept, where = named(lambda value: (torch.ones(2, 3).t(), own[:1, :1].expand(1, 3)), [torch.zeros(3, 2), torch.zeros(1, 3)])
assert len(where) == 2 and all(one.is_contiguous() for one in kept) and len(kept[1].storage()) == 3
try:
    named(lambda value: 1, [torch.zeros(1, 3)])
except calls.Wrong:
    assert table.count == 0 and not results.tensors and len(where) == 2
else:
    raise AssertionError("a number is no result")
# One call's results at a time, whichever pair of arenas they belong to; copied, they are where the outputs are.
first, second = ([torch.zeros(1, 3)] for _ in range(2))
named(lambda value: own, first)
kept, where = named(lambda value: own + 1, second)
assert len(results.tensors) == 1 and where == [kept[0].data_ptr()]
results.copy()
assert second[0].tolist() == [[2.0] * 3] and not first[0].any() and table.count == 0
END
