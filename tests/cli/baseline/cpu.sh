# Without --kinds on the CPU: loops and OpenBLAS, measured once; a second start finds them. One problem takes a file of
# problems/lib, one makes integers. A run is compared with them.
# alone: it measures time
# covers: src/terms/baseline.c src/plain/assay_plain.c src/plain/plain_runner.c
"$ASSAY" eval level1/19 cpu:openblas --no-store --check-only >/dev/null 2>err ||
    { ! grep -q 'no OpenBLAS' err || { echo "no OpenBLAS"; exit 77; }; }
for start in 1 2; do
    "$ASSAY" baseline level1/1 level1/19 level1/51 level3/35 --device cpu --sizes small 2>err
    echo "exit $?"
    grep -v calibrated err | sed 's/in [0-9.]* s ([0-9.]* a second)/in T/'
done
mkdir -p gen/a/level1_19 gen/a/level1_1
cp "$ROOT/exemplars/cpu/level1/019_relu/fast.c" gen/a/level1_19/sample0.c
cp "$ROOT/exemplars/cpu/level1/001_square_matrix_multiplication/naive.c" gen/a/level1_1/sample0.c
"$ASSAY" run gen --name r --device cpu --sizes small >/dev/null 2>&1
for kind in naive openblas; do
    "$ASSAY" analyze r --baseline baseline:cpu:$kind --json | python3 -c '
import json, sys
m = json.load(sys.stdin)["models"][0]["all"]
print(m["fast_p"]["0"], m["geomean_speedup_correct"] > 0, m["geomean_speedup_all"] == m["geomean_speedup_correct"])'
done
# Behind the same walls as a candidate, under the same clock, and marked as none.
"$ASSAY" eval level1/1 cpu:naive --sizes small --json --no-store | python3 -c '
import json, sys
r = json.load(sys.stdin)
print(r["kind"], r["verdict"], r["candidate"]["file"], r["audit"]["clock"], r["sandbox"]["trusted"], r["build"]["toolchain"])
print("seccomp" in r["sandbox"]["layers"])'
# Only there.
"$ASSAY" eval level1/1 cpu:naive --device fake
echo "exit $?"
"$ASSAY" baseline level1/1 --device fake --kinds cpu:naive --name other 2>err
echo "exit $?"
grep skipped: err
