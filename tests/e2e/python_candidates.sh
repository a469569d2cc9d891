# Candidates in Python: every form, every reason, behind all walls; and what a
# candidate finds around it.
# san: no, PyTorch does the work
# covers: src/process/zygote.c src/process/pyproc.c src/python/python_runner.c workers/zygote.py
# covers: src/judge/session_import.c
# covers: workers/assay_python/runner.py workers/assay_python/entry.py workers/assay_python/calls.py
# covers: workers/assay_python/bundle.py workers/assay_python/library.py workers/assay_python/walls.py
# long: 20 s
set -u
bad=0
wrong() { echo "$1"; bad=1; }
write() { # NAME: a file with torch imported, and what comes on stdin
    { printf 'import torch\nimport torch.nn as nn\n'; cat; } >"$1.py"
}
module() { # NAME BODY: a ModelNew whose forward is BODY
    printf 'class ModelNew(nn.Module):\n    def forward(self, x):\n        %s\n' "$2" | write "$1"
}
module relu 'return torch.relu(x)'
if ! "$ASSAY" eval level1/19 relu.py --sizes small --check-only >out.txt 2>&1; then
    if grep -q 'no torch' out.txt; then
        grep 'no torch' out.txt
        exit 77
    fi
    cat out.txt
    exit 1
fi

# --- forms and reasons: FILE VERDICT REASON; the text of the message comes behind it ---
module transposed 'return torch.relu(x.t()).t()'
write model <<'END'
class Model(nn.Module):
    def __init__(self):
        super().__init__()
    def forward(self, x):
        return torch.relu(x)
END
echo 'def custom_kernel(data): return torch.relu(data)' | write custom
echo 'def run(x): return torch.relu(x)' | write run
echo 'def run(x, y): torch.clamp(x, min=0, out=y)' | write destination
printf '# assay: entry mine\ndef mine(x): return torch.relu(x)\ndef run(x): return x\n' | write named
write optional <<'END'
import subprocess
try:
    subprocess.run(["true"])
except PermissionError:
    pass
try:
    import nosuchmodule
except ImportError:
    pass
class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
END
module inplace 'return x.relu_()'
module raises 'raise ValueError("no way")'
module leaves 'exit(0)'
module vanishes '__import__("os")._exit(0)'
module shape 'return torch.relu(x)[:1]'
module dtype 'return torch.relu(x).double()'
module several 'return [torch.relu(x), 1]'
module nothing 'return None'
module subclass 'return torch.relu(x).as_subclass(type("T", (torch.Tensor,), {}))'
module network '__import__("socket").socket()'
module zeros 'return torch.zeros_like(x)'
module half 'y = torch.relu(x); y[-1] = -1; return y'
write cached <<'END'
kept = {}
class ModelNew(nn.Module):
    def forward(self, x):
        key = x.data_ptr(), x._version
        if key not in kept:
            kept[key] = torch.relu(x)
        return kept[key]
END
echo 'import nosuchmodule' | write missing
echo 'def f(:' | write syntax
echo '1 / 0' | write divides
echo 'exit(3)' | write quits
echo '__import__("os")._exit(0)' | write gone
echo 'def f(x): return x' | write none
printf 'def run(x): return x\ndef run(x): return torch.relu(x)\n' | write twice
printf 'class ModelNew(nn.Module):\n    def __init__(self, a): pass\n' | write arity
printf 'class ModelNew(nn.Module):\n    def forward(self, x, y): pass\n' | write forward
printf 'class ModelNew(nn.Module):\n    def __init__(self): 1 / 0\n    def forward(self, x): pass\n' | write broken
cat >wanted.txt <<'END'
relu pass null
transposed pass null
model pass null
custom pass null
run pass null
destination pass null
named pass null
optional pass null
inplace crash SIGSEGV call: ended by SIGSEGV
raises crash PYTHON call: ValueError: no way (line 5)
leaves crash PYTHON call: SystemExit: 0 (line 5)
vanishes crash exited call: the candidate ended its process (exit 0)
shape wrong shape call: expected [32, 512] as y, got [1, 512]
dtype wrong dtype call: expected float32 as y, got float64
several wrong type call: expected a torch.Tensor as y, got a list of 2
nothing wrong type call: expected a torch.Tensor as y, got NoneType
subclass wrong type call: expected a torch.Tensor as y, got T
network rejected sandbox call: made a system call no kernel needs
zeros wrong max
half wrong max
cached wrong max
missing build_error module there is no module nosuchmodule (line 3)
syntax build_error import SyntaxError: invalid syntax (line 3)
divides build_error import ZeroDivisionError: division by zero (line 3)
quits build_error import SystemExit: 3 (line 3)
gone crash exited loading: the candidate ended its process (exit 0)
none build_error load none.py has none of: class ModelNew, class Model
twice build_error load run is defined twice in twice.py
arity build_error signature ModelNew(a) is called with 0 arguments
forward build_error signature ModelNew.forward(x, y) is called with 1 inputs
broken build_error construct ZeroDivisionError: division by zero (line 4)
END
# shellcheck disable=SC2046
"$ASSAY" eval level1/19 $(sed 's/ .*/.py/' wanted.txt) --sizes small --check-only --json >records.jsonl 2>err.txt
python3 - <<'END' || bad=1
import json, sys
records = {r["candidate"]["file"][:-3]: r for r in map(json.loads, open("records.jsonl"))}
bad = 0
for line in open("wanted.txt"):
    name, verdict, reason, *text = line.rstrip("\n").split(" ", 3)
    r = records.get(name) or {"verdict": "not judged", "reason": "", "detail": "", "sandbox": {}}
    got = r["verdict"], r["reason"] or "null"
    if got != (verdict, reason) or (text and not r["detail"].startswith(text[0])):
        bad = 1
        print(f"{name}: wanted {verdict}: {reason} {text}, got {got[0]}: {got[1]} {r['detail']}")
    judged = verdict != "build_error" and not (text and text[0].startswith("loading"))
    if judged and (set(r["sandbox"].get("missing", ["all"])) - {"cgroup"} or "scratch" not in r["sandbox"]["layers"]):
        bad = 1
        print(f"{name}: {r['sandbox']}")
pas = records["relu"]
assert pas["build"]["toolchain"].startswith("python 3."), pas["build"]
assert pas["audit"]["clock"] == "judge" and pas["sandbox"]["trusted"] is False
assert "ZeroDivisionError" in records["divides"]["build"]["log"], records["divides"]["build"]
assert pas["candidate"]["results"] in ("read", "copied"), pas["candidate"]
assert pas["sandbox"]["builder"] == "runner" and pas["build"]["ms"] > 0
assert "ValueError: no way" in records["raises"]["candidate"]["printed"]
sys.exit(bad)
END

# --- a judge that may not read another process's memory: results are copied inside the call ---
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    setpriv --bounding-set -sys_ptrace --inh-caps -sys_ptrace "$ASSAY" eval level1/19 relu.py transposed.py half.py \
        shape.py --sizes small --check-only --json >copied.jsonl 2>err.txt
    python3 - <<'END' || { cat err.txt; wrong "copied results"; }
import json
records = [json.loads(line) for line in open("copied.jsonl")]
got = [(r["candidate"]["results"], r["verdict"], r["reason"]) for r in records]
assert got == [("copied", "pass", None), ("copied", "pass", None), ("copied", "wrong", "max"),
               ("copied", "wrong", "shape")], got
END
fi

# --- a folder: files beside it, siblings, another entry ---
mkdir -p folder/sub
write folder/model <<'END'
import os
from helper import relu
from sub.more import ONE
with open(os.path.join(os.path.dirname(__file__), "kernel.cu")) as file:
    assert file.read() == "text"
class ModelNew(nn.Module):
    def forward(self, x):
        return relu(x) * ONE
class Other(nn.Module):
    def forward(self, x):
        return x
END
printf 'import torch\nrelu = torch.relu\n' >folder/helper.py
echo 'raise SystemExit("this is not torch")' >folder/torch.py
echo 'ONE = 1' >folder/sub/more.py
printf text >folder/kernel.cu
"$ASSAY" eval level1/19 folder --sizes small --check-only >out.txt 2>&1 || { cat out.txt; wrong "a folder"; }
"$ASSAY" eval level1/19 folder --entry Other --sizes small --check-only >out.txt 2>&1
if ! grep -q 'wrong: max' out.txt || ! grep -q 'again: .* folder --entry Other ' out.txt; then
    cat out.txt
    wrong "--entry"
fi

# --- a problem for which published candidates do not apply says so ---
cat >published.py <<'END'
import torch
class Model(torch.nn.Module):
    def forward(self, A, B):
        return torch.matmul(A, B)
END
"$ASSAY" eval level1/13 published.py --sizes small --check-only >out.txt 2>&1
grep -q '^  foreign: published candidates read whole matrices' out.txt || { cat out.txt; wrong "foreign"; }

# --- a run folder of KernelBench's, with files in Python and in C ---
mkdir -p runs/mine
cp relu.py runs/mine/level_1_problem_19_sample_0_kernel.py
cp raises.py runs/mine/level_1_problem_19_sample_1_kernel.py
cp syntax.py runs/mine/level_1_problem_19_sample_2_kernel.py
cp "$ROOT/exemplars/cpu/level1/019_relu/naive.c" runs/mine/level_1_problem_19_sample_3_kernel.c
"$ASSAY" run runs/mine --name mixed --sizes small --check-only >out.txt 2>&1
grep -q '^mine *4 *2 *0 *1 *0 *1 *0 *0 *0$' out.txt || { cat out.txt; wrong "a run folder"; }

# --- a memory budget counts what the candidate keeps, and not torch's own memory ---
cat >budget.lua <<'END'
problem { "ReLU with little memory", level = 1, id = 1 }
sizes { full = { N = 512 }, small = { N = 512 } }
requires { memory = 1000000 }
init()
output("y", relu(input("x", f32, { N, N })))
END
module keeps 'self.kept = torch.ones(16 << 20); return torch.relu(x)'
"$ASSAY" eval budget.lua relu.py keeps.py --sizes small --check-only >out.txt 2>&1
if ! grep -q 'relu.py *pass' out.txt || ! grep -q 'keeps.py *rejected *memory' out.txt; then
    cat out.txt
    wrong "memory budget"
fi

# --- what a candidate finds around it ---
write looks <<'END'
import os
for path in ("/etc/passwd", "/proc/self/maps", "/tmp", "/proc/1/environ", os.environ["PATH"].split(":")[0]):
    try:
        (os.listdir if os.path.isdir(path) else open)(path)
        print("READ", path)
    except OSError:
        pass
print("VARIABLES", *sorted(os.environ))
print("FOLDER", os.listdir("/dev/shm"), __file__)
with open("/dev/shm/candidate/kept", "w") as file:
    file.write("kept")
import inspect
class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
print("SOURCE", len(inspect.getsource(ModelNew)))
END
look() { # ASSAY...: what the candidate printed
    "$@" eval level1/19 looks.py --sizes small --check-only --json 2>/dev/null |
        python3 -c 'import json, sys; r = json.load(sys.stdin); print(r["verdict"]); print(r["candidate"]["printed"])'
}
cat >looked.txt <<'END'
pass
VARIABLES CUDA_CACHE_DISABLE CUDA_MODULE_LOADING HOME LC_ALL NVCC_APPEND_FLAGS PATH PYTHONDONTWRITEBYTECODE PYTHONUTF8 PYTORCH_NVML_BASED_CUDA_CHECK TMPDIR TORCHINDUCTOR_CACHE_DIR TORCH_EXTENSIONS_DIR TRITON_CACHE_AUTOTUNING TRITON_CACHE_DIR
FOLDER ['candidate'] /dev/shm/candidate/looks.py
SOURCE 82

END
SECRET=1 look env -u PYTHONPATH -u LD_LIBRARY_PATH -u CUDA_HOME "$ASSAY" >got.txt
diff looked.txt got.txt || wrong "what a candidate finds around it"
[ ! -e /dev/shm/candidate ] || wrong "a candidate's folder is left"

exit $bad
