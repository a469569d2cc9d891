# Candidates in Python with a present torch and Triton (tools/python-new), beside Debian's torch of the other tests: modules,
# Triton's interpreter, Triton's compiler without a GPU, and an extension in C++.
# san: no, PyTorch does the work
# slow: workers src/python src/process/zygote.c src/judge/session_rehearse.c src/sandbox tools/python-new
# long: 70 s
# covers: workers/assay_python/prime.py workers/assay_python/extensions.py workers/assay_python/walls.py workers/zygote.py
# covers: workers/assay_python/weights.py
set -u
python=$ROOT/build/python-new/bin/python3
[ -e "$ROOT/build/python-new/made" ] || { echo "no new torch: tools/python-new makes one, where pip can"; exit 77; }
export ASSAY_PYTHON=$python
bad=0
wrong() { echo "$1"; bad=1; }
judge() { "$ASSAY" eval "$@" --device cpu --sizes small --json --no-store 2>err; }
field() { "$python" -c "import json, sys; r = json.load(open(sys.argv[1])); print($2)" "$1"; }
passes() { # NAME PROBLEM: with all walls; its record is NAME.json
    judge "$2" "$1.py" >"$1.json" || wrong "$1: $(field "$1.json" 'r["verdict"], r["reason"], r["detail"], r["candidate"]["printed"]') $(cat err)"
    [ "$(field "$1.json" 'r["sandbox"]["missing"]')" = "[]" ] || wrong "$1: a wall is missing: $(field "$1.json" 'r["sandbox"]')"
}
"$python" -c 'import torch, triton; print("torch", torch.__version__, "triton", triton.__version__)'

# --- torch alone ---
cat >module.py <<'PY'
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, groups, num_groups):
        super().__init__()
        self.conv_transpose = nn.ConvTranspose2d(in_channels, out_channels, kernel_size, stride=stride, padding=padding)
        self.batch_norm = nn.BatchNorm2d(out_channels)
        self.group_norm = nn.GroupNorm(num_groups, out_channels)

    def forward(self, x):
        return self.group_norm(torch.max_pool2d(torch.tanh(self.batch_norm(self.conv_transpose(x))), 2, 2))
PY
passes module level2/11
python3 "$ROOT/tests/python/judge_forms.py" "$ASSAY" "$ROOT/tests/python/modules" level1_033_other.py level2_022_upstream.py \
    level2_056_other.py level3_001_upstream.py level3_043_other.py || wrong "modules are not as expected"
# These load modules of torch's late, so the packages have to be readable; the environment lies in a hidden folder.
python3 "$ROOT/tests/python/judge_forms.py" "$ASSAY" "$ROOT/tests/python/forms" ok_pickle.py ok_trace.py ok_script_module.py \
    bad_program.py bad_file_import.py || wrong "forms are not as expected"

# --- Triton's interpreter: the variable works inside the file, although the zygote imported Triton without it. Kernels of
# Triton's own library (tl.max, tl.sum) need a new import, which the runner sees to (extensions.py). ---
cat >head.py <<'PY'
import os

os.environ["TRITON_INTERPRET"] = "1"
import torch
import triton
import triton.language as tl


PY
cat head.py - >relu.py <<'PY'
@triton.jit
def kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.maximum(tl.load(x + at, mask=at < n), 0.0), mask=at < n)


def run(x):
    y = torch.empty_like(x)
    kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)
    return y
PY
cat head.py - >softmax.py <<'PY'
@triton.jit
def kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.program_id(0) * n
    v = tl.load(x + row + at, mask=at < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(y + row + at, e / tl.sum(e, axis=0), mask=at < n)


def run(x):
    y = torch.empty_like(x)
    kernel[(x.shape[0],)](x, y, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return y
PY
passes relu level1/19
passes softmax level1/23

# --- Triton's compiler, for a GPU that is not here: the rehearsal starts ptxas, a judged process starts nothing ---
cat >count.py <<'PY'
import glob, os, subprocess, torch

started = os.path.join(os.environ["HOME"], "started")
before = open(started).read() if os.path.exists(started) else ""
tried = subprocess.Popen.__init__


def counted(self, args, *more, **named):
    print("PROGRAM", args, flush=True)
    with open(started, "a") as file:
        print(args[0] if isinstance(args, list) else args, file=file)
    tried(self, args, *more, **named)


subprocess.Popen.__init__ = counted
PY
cat count.py - >compiled.py <<'PY'
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.maximum(tl.load(x + at, mask=at < n), 0.0), mask=at < n)


source = ASTSource(kernel, {"x": "*fp32", "y": "*fp32", "n": "i32", "BLOCK": "constexpr"}, {"BLOCK": 1024})
made = triton.compile(source, target=GPUTarget("cuda", 90, 32))
cubins = glob.glob(os.environ["TRITON_CACHE_DIR"] + "/*/*.cubin")
print("CUBIN", len(cubins), made.asm["cubin"] == open(cubins[0], "rb").read())
print("REHEARSAL", *before.split())


def run(x):
    return torch.relu(x)
PY
passes compiled level1/19
field compiled.json 'r["candidate"]["printed"]' >printed
grep -qx 'CUBIN 1 True' printed || wrong "no cubin in Triton's cache: $(cat printed)"
grep -q '^REHEARSAL .*/ptxas' printed || wrong "the rehearsal started no ptxas: $(cat printed)"
grep -q ^PROGRAM printed && wrong "a judged process wanted a program: $(cat printed)"

# Names that prime.py asks for. Each has to be in this Triton, in one of the modules where versions keep it.
PYTHONPATH=$ROOT/workers "$python" - <<'PY' || wrong "this Triton has other names"
import importlib, sys
from assay_python import prime

found = {}
for module, function, _ in prime.QUESTIONS:
    try:
        there = hasattr(importlib.import_module(module), function)
    except ImportError:
        there = False
    found[function] = found.get(function, False) or there
    print(f"{module}.{function}: {'there' if there else 'not in this version'}")
sys.exit(not all(found.values()))
PY

# --- C++ ---
cat count.py - >inline.py <<'PY'
from torch.utils.cpp_extension import load_inline

mine = load_inline("mine", "torch::Tensor relu(torch::Tensor x) { return x.clamp_min(0); }", functions=["relu"])
print("REHEARSAL", *before.split())


def run(x):
    return mine.relu(x)
PY
passes inline level1/19
field inline.json 'r["candidate"]["printed"]' >printed
grep -q '^REHEARSAL .*ninja' printed || wrong "the rehearsal started no ninja: $(cat printed)"
grep -q ^PROGRAM printed && wrong "a judged process wanted a program: $(cat printed)"
echo "C++ took $(field inline.json 'round(r["build"]["rehearsal"]["ms"] / 1000)') s"

# --- fixed weights: torch registers and initialises parameters in its own way ---
python3 "$ROOT/tests/python/judge_forms.py" "$ASSAY" "$ROOT/tests/python/fixed" --fixed || wrong "fixed weights"

# A program that pip put beside the interpreter is found, though nobody activated the environment.
printf 'import shutil, torch\nprint("FOUND", shutil.which("numpy-config"))\ndef run(x): return torch.relu(x)\n' >found.py
passes found level1/19
[ "$(field found.json 'r["candidate"]["printed"].strip()')" = "FOUND $ROOT/build/python-new/bin/numpy-config" ] ||
    wrong "programs of the environment are not found: $(field found.json 'r["candidate"]["printed"]')"
exit $bad
