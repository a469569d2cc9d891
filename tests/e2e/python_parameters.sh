# The record says by which rule each parameter of a candidate in Python was bound, and `assay eval` names those that
# were not bound by name. A process that says something else than that is not believed.
# san: no, PyTorch does the work
# covers: src/process/bound.c workers/assay_python/binding.py workers/assay_python/runner.py src/judge/record.c
# long: 8 s
set -u
bad=0
wrong() { echo "$1"; bad=1; }
cat >affine.lua <<'END'
problem { "An affine map and a row of factors", level = 1, id = 1 }
sizes { full = { N = 64 }, small = { N = 64 } }
init(N)
local x = input("x", f32, { N, N })
local w = param("lin.weight", f32, { N, N })
local b = param("lin.bias", f32, { N })
local s = param("scale.weight", f32, { N })
output("y", (matmul(x, w) + b) * s)
END
model() { # NAME W B S [HEAD]: a module whose parameters have these names
    cat >"$1.py" <<END
import torch
from torch import nn
$5
class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        for name, shape in (("$2", (n, n)), ("$3", (n,)), ("$4", (n,))):
            at = self
            *folders, last = name.split(".")
            for folder in folders:
                if not hasattr(at, folder):
                    setattr(at, folder, nn.Module())
                at = getattr(at, folder)
            at.register_parameter(last, nn.Parameter(torch.zeros(shape)))
    def get(self, name):
        return dict(self.named_parameters())[name]
    def forward(self, x):
        return (x @ self.get("$2") + self.get("$3")) * self.get("$4")
END
}
model name lin.weight lin.bias scale.weight ''
model normalised net.LIN_w lin_b scale.gamma ''
model shape k lin.bias scale.weight ''
model order k first_bias second_weight ''
model foreign β.weight lin.bias scale.weight ''
echo 'def run(x, w, b, s): return (x @ w + b) * s' >argument.py

# Those that forge it: what note() gives, then a candidate that is right.
forge() { # NAME NOTE
    model "forged_$1" k lin.bias scale.weight "import assay_python.binding
assay_python.binding.note = lambda wanted, bound: $2"
}
forge less 'b"shape k\n"'
forge more 'b"shape k\n" * 4'
forge rule 'b"magic k\nname\nname\n"'
forge control 'b"shape \x1b[31mk\nname\nname\n"'
forge bytes 'bytes(range(1, 256)) * 9'
forge long 'b"shape " + b"k" * 300 + b"\nname\nname\n"'
forge huge 'b"shape " + b"k" * 10000000 + b"\nname\nname\n"'
forge raises '1 / 0'
forge other '"text"'
forge lies 'b"order \"}<b>\nname\nname\n"'
model forged_frame k lin.bias scale.weight 'import os, struct
note = b"x" * 40000
os.write(3, struct.pack("<4sHHIH", b"ASAY", 5, 9, len(note) + 2, len(note)) + note)'

"$ASSAY" eval affine.lua ./*.py --device cpu --sizes small --check-only --json >records.jsonl 2>err.txt
grep -q 'no torch' err.txt && { cat err.txt; exit 77; }
python3 - <<'END' || { cat err.txt; wrong "records"; }
import json
records = {r["candidate"]["file"].removeprefix("./")[:-3]: r for r in map(json.loads, open("records.jsonl"))}
names = "lin.weight", "lin.bias", "scale.weight"
def listed(*pairs):
    return [{"name": name, "rule": rule, "to": to} for name, (rule, to) in zip(names, pairs)]
kept = ("name", "lin.bias"), ("name", "scale.weight")
wanted = {
    "name": {"rule": "name"},
    "argument": {"rule": "argument"},
    "normalised": listed(("normalised", "net.LIN_w"), ("normalised", "lin_b"), ("normalised", "scale.gamma")),
    "shape": listed(("shape", "k"), *kept),
    "order": listed(("shape", "k"), ("order", "first_bias"), ("order", "second_weight")),
    "foreign": listed(("shape", "\\u03b2.weight"), *kept),
    "forged_lies": listed(("order", '"}<b>'), *kept),
}
unlike = {"forged_raises": ("build_error", "load"), "forged_other": ("build_error", "load"),
          "forged_frame": ("rejected", "protocol")}
assert len(records) == 17, sorted(records)
for name, r in records.items():
    got = r["candidate"]["parameters"]
    assert got == wanted.get(name), (name, got)
    assert (r["verdict"], r["reason"]) == unlike.get(name, ("pass", None)), (name, r["verdict"], r["reason"], r["detail"])
END

"$ASSAY" eval affine.lua order.py --device cpu --sizes small --check-only >out.txt 2>&1
line='  parameters not bound by name: lin.weight to k (shape), lin.bias to first_bias (order), scale.weight to second_weight (order)'
grep -qxF "$line" out.txt || { cat out.txt; wrong "the note"; }
for file in name argument forged_control; do
    "$ASSAY" eval affine.lua "$file.py" --device cpu --sizes small --check-only >out.txt 2>&1
    grep -q 'not bound by name' out.txt && { cat out.txt; wrong "$file has a note"; }
done
exit $bad
