# PyTorch on the CPU when asked for, measured once; a second start finds it. A run is compared with it.
# alone: it measures time
# san: no, PyTorch does the work
"$ASSAY" eval level1/19 torch:eager --no-store --check-only >/dev/null 2>err ||
    { ! grep -q 'torch' err || { echo "no python3 with torch"; exit 77; }; }
for start in 1 2; do
    "$ASSAY" baseline level1/19 level1/998 --device cpu --sizes small --kinds torch:eager 2>err
    echo "exit $?"
    grep -v calibrated err | sed 's/in [0-9.]* s ([0-9.]* a second)/in T/'
done
mkdir -p gen/a/level1_19
cp "$ROOT/exemplars/cpu/level1/019_relu/fast.c" gen/a/level1_19/sample0.c
"$ASSAY" run gen --name r --device cpu --sizes small >/dev/null 2>&1
"$ASSAY" analyze r --baseline baseline:torch:eager --json | python3 -c '
import json, sys
m = json.load(sys.stdin)["models"][0]["all"]
print(m["fast_p"]["0"], m["geomean_speedup_correct"] > 0, m["geomean_speedup_all"] == m["geomean_speedup_correct"])'
