# Judging against a PyTorch module of the user's: the page, the record, candidates in C, what is refused.
# san: no, PyTorch does the work
# covers: src/judge/reference.c workers/assay_python/reference.py
# slow: src/judge src/content src/process src/run src/problem/described.c workers/assay_python tests/ref tests/e2e/references.sh
# long: 30 s
set -u
bad=0
wrong() { echo "$1"; bad=1; }
field() { python3 -c "import json, sys; r = json.loads(open('$1').readline()); print($2)"; }
ref=$ROOT/tests/ref/level2_12.py
sed 's/\bModel\b/ModelNew/g' "$ref" >new.py

"$ASSAY" eval --ref "$ref" new.py --device cpu --json >new.json 2>err.txt || {
    grep 'no torch' err.txt && exit 77
    cat err.txt new.json
    exit 1
}
[ "$(field new.json 'r["verdict"], r["problem"][:4], r["reference"]["expected"], r["reference"]["admitted"]')" = \
    "pass ref: double True" ] || { cat new.json; wrong "the record"; }
[ "$(field new.json 'r["peak_fraction"], r["sol"], r["sizes"][0]["peak_fraction"]')" = "None None None" ] ||
    wrong "a reference has no peak"
# Only its outputs must be moved, 16 x 96 floats.
[ "$(field new.json 'r["sizes"][0]["bytes"], r["sizes"][0]["flops"]')" = "6144.0 0.0" ] || wrong "the cost"
[ "$(field new.json 'r["sandbox"]["missing"]')" = "[]" ] || wrong "a layer is missing: $(field new.json 'r["sandbox"]')"

# The same seed gives the same contents, and so the same answer to a wrong candidate.
cat >wrong.py <<'END'
import torch


def run(*tensors):
    return torch.zeros(1)
END
cat >relu.py <<'END'
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, slope):
        return torch.where(x > 0, x, slope * x)


def get_inputs():
    return [torch.randn(16, 64), 0.5]
END
cat >relu.c <<'END'
#include "assay.h"
#include "problem.h"

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;

    for (int64_t i = 0; i < in[IN_X].shape[0] * in[IN_X].shape[1]; i++)
        y[i] = x[i] > 0 ? x[i] : SLOPE * x[i];
    return 0;
}
END
sed 's/SLOPE/0.5f/' relu.c >half.c
sed 's/SLOPE/0.25f/' relu.c >quarter.c
"$ASSAY" eval --ref relu.py half.c quarter.c relu.py wrong.py --check-only --device cpu --seed 7 >table.txt 2>&1
for want in 'half.c *pass' 'quarter.c *wrong *max' 'relu.py *pass' 'wrong.py *wrong *shape'; do
    grep -q "$want" table.txt || { cat table.txt; wrong "no line: $want"; }
done
again=$(sed -n 's/^  again: assay \(.*quarter.*\)/\1/p' table.txt)
first=$(grep '^quarter.c: y' table.txt)
# shellcheck disable=SC2086
"$ASSAY" $again >again.txt 2>&1
grep -qF "${first#quarter.c: }" again.txt || { cat table.txt again.txt; wrong "the line that repeats it does not"; }

# Not admitted, and the mark of who goes on.
never=$ROOT/tests/ref/relu_never_negative.py
"$ASSAY" eval --ref "$never" "$never" --device cpu --check-only >out.txt 2>&1
[ $? = 3 ] && grep -q 'is not admitted: a copy of the first input passes: its inputs are never negative; ' out.txt ||
    { cat out.txt; wrong "admission"; }
"$ASSAY" eval --ref "$never" "$never" --device cpu --check-only --unadmitted >out.txt 2>&1 &&
    grep -q '  unadmitted: a copy of the first input passes' out.txt || { cat out.txt; wrong "--unadmitted"; }

# Words that do not fit.
refused() { # STATUS TEXT WORDS...
    local status=$1 text=$2
    shift 2
    "$ASSAY" eval "$@" >out.txt 2>&1
    [ $? = "$status" ] && [ "$(wc -l <out.txt)" = 1 ] && grep -q -- "$text" out.txt || { cat out.txt; wrong "$*: $text"; }
}
refused 2 'name a candidate' --ref relu.py
refused 2 '--unadmitted is about a reference' --unadmitted level1/19 half.c
refused 2 'torch:eager needs a problem; with --ref name relu.py as a candidate' --ref relu.py torch:eager
refused 3 'nowhere.py' --ref nowhere.py half.c
refused 3 'no class Model' --ref wrong.py half.c
refused 3 'Model.forward() returns a dict' --ref "$ROOT/tests/ref/bad/returns_dict.py" half.c --device cpu

# Weights of the candidate's own: by KernelBench's seed, and packed in the constructor.
cat >linear.py <<'END'
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, 32)

    def forward(self, x):
        return self.fc(x)


def get_inputs():
    return [torch.randn(16, 64)]


def get_init_inputs():
    return [64]
END
cat >own_names.py <<'END'
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        fc = nn.Linear(n, 32)
        self.packed = torch.cat([fc.weight.detach(), fc.bias.detach()[:, None]], 1).t().contiguous()

    def forward(self, x):
        return torch.cat([x, x.new_ones(len(x), 1)], 1) @ self.packed
END
sed 's/    def __init__(self, n):/&\n        torch.rand(1)/' own_names.py >draws_before.py
sed 's/^        fc = /        self.fc = fc = /' own_names.py >packs.py
verdicts() { # WORDS...: verdicts and reasons of `assay eval`
    "$ASSAY" eval "$@" --device cpu --check-only --json 2>&1 |
        python3 -c 'import json, sys; print(*[r["verdict"] + ":" + (r["reason"] or "") for r in map(json.loads, sys.stdin)])'
}
found=$(verdicts --ref linear.py own_names.py draws_before.py packs.py --weights seed)
case $found in "pass: wrong:"*" pass:") ;; *) wrong "weights by a seed: $found" ;; esac
found=$(verdicts --ref linear.py own_names.py packs.py)
[ "$found" = "build_error:parameters wrong:stale_weights" ] || wrong "weights per call: $found"
found=$(verdicts --ref linear.py packs.py linear.py --weights fixed)
[ "$found" = "pass: pass:" ] || wrong "fixed weights: $found"
refused 3 '--weights seed needs a reference' --weights seed level1/19 relu.py
refused 2 '--weights seed is for candidates in Python' --weights seed --ref relu.py half.c

# A run: candidates of references beside those of a problem. A reference that is not admitted leaves its own out.
cp "$never" never.py
cat >plan.yaml <<'END'
name: refs
device: cpu
sizes: small
check_only: true
ref: linear.py
candidates:
  - { model: mine, sample: 0, file: linear.py }
  - { model: mine, sample: 1, file: own_names.py }
  - { model: mine, ref: relu.py, sample: 0, file: half.c }
  - { model: mine, ref: never.py, sample: 0, file: never.py }
  - { model: mine, ref: relu.py, sample: 1, file: torch:eager }
  - { model: mine, problem: level1/19, sample: 0, file: never.py }
END
"$ASSAY" run plan.yaml >run.txt 2>&1
[ $? = 3 ] || { cat run.txt; wrong "exit status of a run"; }
grep -q 'line 10: .* is not admitted: a copy of the first input passes' run.txt || { cat run.txt; wrong "admission in a run"; }
grep -q 'line 11: torch:eager: baselines need a problem' run.txt || { cat run.txt; wrong "a baseline in a run"; }
grep -q '4 judged' run.txt || { cat run.txt; wrong "a run"; }
"$ASSAY" run plan.yaml 2>&1 | grep -q '0 judged .* 4 known' || wrong "a run that goes on"
"$ASSAY" analyze refs >analysis.txt 2>&1
grep -q '^ref:[0-9a-f]* *reference ' analysis.txt && grep -q '^reference *mine *2 ' analysis.txt ||
    { cat analysis.txt; wrong "references apart"; }

# A reference that fails in double: expected values are in the declared types.
cat >single.py <<'END'
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("single precision only")
        return torch.sin(x)


def get_inputs():
    return [torch.randn(16, 64)]
END
"$ASSAY" eval --ref single.py single.py --device cpu --check-only --json >single.json 2>&1
[ "$(field single.json 'r["verdict"], r["reference"]["expected"]')" = "pass declared" ] || { cat single.json; wrong "declared types"; }

# Nothing of a reference is left: no process, no record of what was refused.
[ "$(sqlite3 "$ASSAY_HOME/store.db" 'select count(*) from records')" = 19 ] ||
    wrong "$(sqlite3 "$ASSAY_HOME/store.db" 'select count(*) from records') records"
exit $bad
