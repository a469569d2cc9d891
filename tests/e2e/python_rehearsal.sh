# A candidate that compiles C++ does so once, in the rehearsal. Its judged processes find the library and start no
# program. Changed files, another problem or --no-cache mean another rehearsal; a candidate that compiles nothing has none.
# san: no, PyTorch does the work
# slow: src/judge/session_rehearse.c src/process/bundle.c src/sandbox src/python workers
# long: 90 s
# covers: src/judge/session_rehearse.c src/process/bundle.c workers/assay_python/extensions.py
# covers: workers/assay_python/prime.py workers/assay_python/place.py src/content/draw.c
set -u
python=${ASSAY_PYTHON:-/usr/bin/python3}
"$python" -c 'import torch' 2>/dev/null || { echo "no torch for $python"; exit 77; }
command -v ninja >/dev/null && [ -e /usr/include/pybind11/pybind11.h ] || { echo "no ninja, or no pybind11"; exit 77; }
export ASSAY_PYTHON=$python
bad=0
wrong() { echo "$1"; bad=1; }

cat >inline.py <<'END'
import os
import subprocess
import torch
from torch.utils.cpp_extension import load_inline

tried = subprocess.Popen.__init__
def counted(self, args, *more, **named):
    print("PROGRAM", args[0] if isinstance(args, list) else args, flush=True)
    tried(self, args, *more, **named)
subprocess.Popen.__init__ = counted
source = "torch::Tensor relu(torch::Tensor x) { return x.clamp_min(0); }"
mine = load_inline("mine", source, functions=["relu"])
with open(os.path.join(os.environ["HOME"], "made"), "a") as made:
    made.write("x")
print("MADE", os.path.getsize(os.path.join(os.environ["HOME"], "made")))

class ModelNew(torch.nn.Module):
    def forward(self, x):
        return mine.relu(x)
END
judge() { "$ASSAY" eval level1/19 "$@" --device cpu --sizes small --json --no-store 2>err; }
field() { "$python" -c "import json, sys; r = json.load(open(sys.argv[1])); print($2)" "$1"; }

judge inline.py >first.json || wrong "the first time: $(cat first.json err)"
[ "$(field first.json 'r["build"]["rehearsal"]["cached"]')" = False ] || wrong "the first rehearsal was cached"
[ "$(field first.json 'r["sandbox"]["missing"]')" = "[]" ] || wrong "a wall is missing: $(field first.json 'r["sandbox"]')"
field first.json 'r["candidate"]["printed"]' >printed
grep -q PROGRAM printed && wrong "a judged process wanted a program: $(cat printed)"
# The file that the rehearsal left is there, and each process adds to its own copy.
grep -qx "MADE 2" printed || wrong "the folder is not as the rehearsal left it: $(cat printed)"

judge inline.py >second.json || wrong "the second time: $(cat second.json err)"
[ "$(field second.json 'r["build"]["rehearsal"]["cached"]')" = True ] || wrong "the rehearsal was not cached"

sed 's/clamp_min(0)/clamp_min(1)/' inline.py >other.py
judge other.py >other.json && wrong "another text passes"
[ "$(field other.json 'r["verdict"]')" = wrong ] || wrong "another text: $(cat other.json)"

sed 's/clamp_min(0)/clamp_mim(0)/' inline.py >broken.py
judge broken.py >broken.json
[ "$(field broken.json 'r["verdict"] + " " + r["reason"]')" = "build_error import" ] || wrong "$(cat broken.json)"
field broken.json 'r["detail"]' | grep -q 'error: .*clamp_mim' || wrong "no compiler's word: $(field broken.json 'r["detail"]')"

printf 'import torch\ndef run(x): return torch.relu(x)\n' >plain.py
judge plain.py >plain.json || wrong "plain: $(cat plain.json err)"
[ "$(field plain.json 'r["build"]["rehearsal"]')" = None ] || wrong "a rehearsal for nothing"

# A folder that cannot be kept, and a file of another user's that must stay as it is.
cat >hoards.py <<'END'
import os, subprocess, torch
for i in range(4100):
    open(os.path.join(os.environ["HOME"], f"f{i}"), "w").close()
def run(x): return torch.relu(x)
END
judge hoards.py >hoards.json
[ "$(field hoards.json 'r["verdict"] + " " + r["reason"]')" = "build_error rehearsal" ] || wrong "$(cat hoards.json)"
field hoards.json 'r["detail"]' | grep -q 'at most 4000 are kept' || wrong "$(field hoards.json 'r["detail"]')"
exit $bad
