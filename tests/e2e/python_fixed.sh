# Modules that pack their weights in the constructor, for problems of levels 1 to 3: right with fixed weights, and
# `wrong: stale_weights` without (tests/python/fixed). Also a run with fixed weights, and its times.
# san: no, PyTorch does the work
# covers: workers/assay_python/weights.py workers/assay_python/runner.py src/measure/trial.c src/judge/session_size.c
# slow: src/python src/process src/judge src/measure src/content src/terms workers tests/python tests/e2e/python_fixed.sh
# long: 40 s
set -u
bad=0
wrong() { echo "$1"; bad=1; }
for mode in '' --fixed; do
    python3 "$ROOT/tests/python/judge_forms.py" "$ASSAY" "$ROOT/tests/python/fixed" $mode || {
        status=$?
        [ $status != 77 ] || exit 77
        wrong "candidates are not as expected $mode"
    }
done

# --- a run: what cannot be judged says why, and times are kept apart from others ---
mkdir -p gen/m/level1_40 gen/m/level1_19
cp "$ROOT/tests/python/fixed/layer_norm_helper.py" gen/m/level1_40/sample0.py
echo 'int assay_kernel(void) { return 0; }' >gen/m/level1_19/sample0.c
printf 'name: fixed\nfolders: gen\ndevice: cpu\nsizes: small\nweights: fixed\n' >plan.yaml
"$ASSAY" run plan.yaml >out.txt 2>&1
[ $? = 3 ] || { cat out.txt; wrong "the status of a run with a skipped candidate"; }
grep -q 'sample0.c: other weights than per_call are for candidates in Python' out.txt || { cat out.txt; wrong "no word about C"; }
"$ASSAY" run gen --name usual --device cpu --sizes small --check-only >out.txt 2>&1
"$ASSAY" analyze fixed >out.txt || wrong "no figures"
grep -q 'sizes small, weights fixed' out.txt || { cat out.txt; wrong "the figures do not say the weights"; }
"$ASSAY" analyze fixed --json | python3 -c 'import json, sys
model = json.load(sys.stdin)["models"][0]["all"]
assert (model["samples"], model["correct"], model["skipped"]) == (2, 1, 1), model' || wrong "figures of the run"
"$ASSAY" analyze fixed --against usual >out.txt 2>&1
[ $? = 3 ] && grep -q 'they are not compared' out.txt || { cat out.txt; wrong "compared with other weights"; }

# --- the page and the record ---
"$ASSAY" eval level1/40 gen/m/level1_40/sample0.py --device cpu --sizes small --weights fixed --check-only >out.txt
grep -q 'core.*), weights fixed$' out.txt || { cat out.txt; wrong "the page does not say the weights"; }
"$ASSAY" eval level1/40 gen/m/level1_40/sample0.py --device cpu --sizes small --weights fixed --json >record.json
python3 - <<'END' || bad=1
import json
record = json.load(open("record.json"))
assert record["verdict"] == "pass" and record["candidate"]["weights"] == "fixed", record["detail"]
assert record["sizes"][0]["cold_us"] > 0
END
exit $bad
