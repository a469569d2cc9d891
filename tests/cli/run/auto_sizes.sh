# Without --sizes: medium on the CPU, small on the fake device, and for both in one run the smaller. A run from the
# time when auto was small goes on with small.
# long: 6 s
# covers: src/run/jobs.c
mkdir -p cpu/a/level1_19 fake/a/level1_19
cp "$ROOT/exemplars/cpu/level1/019_relu/naive.c" cpu/a/level1_19/sample0.c
printf 'op relu\n' >fake/a/level1_19/sample0.fake
mkdir both && cp -r cpu/a both/c && cp -r fake/a both/f
sizes() { "$ASSAY" analyze "$1" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["sizes"])'; }
for run in cpu fake both; do
    "$ASSAY" run $run --name $run --check-only >/dev/null 2>&1
    echo "$run: $(sizes $run)"
done
"$ASSAY" run cpu --name old --check-only --sizes small >/dev/null 2>&1
"$ASSAY" run cpu --name old --check-only 2>&1 >/dev/null | sed 's/in [0-9.]* s ([0-9.]* a second)/in T/'
echo "old: $(sizes old)"
"$ASSAY" run cpu --name old --check-only --sizes medium
"$ASSAY" baseline level1/19 --kinds cpu:naive --device cpu >/dev/null 2>&1
echo "baseline: $(sizes baseline)"
printf 'name: plan\nsizes: medium\ncheck_only: true\nfolders: fake\n' >plan.yaml
"$ASSAY" run plan.yaml >/dev/null 2>&1
echo "plan: $(sizes plan)"
