# Baselines are written to a file, in parts. A second writing changes nothing, and another device is refused.
# alone: it measures time
# covers: src/results/ship.c src/results/shipped.c src/results/named_baseline.c
naive() { "$ASSAY" baseline "$@" --device cpu --sizes small --kinds cpu:naive >/dev/null 2>err; echo "exit $?"; grep b.json err; }
rows() {
    python3 -c '
import json
f = json.load(open("b.json"))
print(f["schema"], f["device"], len(f["origins"]))
for o in f["origins"]:
    print(o["sizes"], o["toolchain"], o["weights"], o["first"] <= o["last"], len(o["fingerprint"]))
    for r in o["rows"]:
        size = r["sizes"][0]
        print(" ", r["problem"], r["kind"], r["verdict"], r["repeats"], size["params"],
              size["cold_lo"] <= size["cold_us"] <= size["cold_hi"], size["hot_us"] > 0)'
}
naive level1/20 --ship b.json
naive level1/19
naive --ship b.json
rows
ls -l b.json | cut -c1-10
cp b.json before.json
naive --ship b.json
cmp b.json before.json
# A run is compared with it; so is a report.
mkdir -p gen/a/level1_19
cp "$ROOT/exemplars/cpu/level1/019_relu/fast.c" gen/a/level1_19/sample0.c
"$ASSAY" run gen --name r --device cpu --sizes small >/dev/null 2>&1
"$ASSAY" analyze r --baseline shipped:b.json:cpu:naive --json | python3 -c '
import json, sys
a = json.load(sys.stdin)
print(a["baseline"], a["baseline_notes"], a["models"][0]["all"]["geomean_speedup_all"] > 0)'
"$ASSAY" report r --baseline shipped:b.json:cpu:naive -o r.html && grep -c '"baseline":"shipped:b.json:cpu:naive"' r.html
# Files that it does not write into; nothing is measured then.
sed 's/"name":"[^"]*"/"name":"Another"/' before.json >b.json && cp b.json other.json
naive --ship b.json | sed 's/these are of cpu (.*)/these are of cpu (NAME)/'
cmp b.json other.json
echo '{' >b.json
naive level1/21 --ship b.json
naive level1/21 --ship b.json.txt
naive --name empty --ship new-b.json
"$ASSAY" run gen --name r --device cpu --sizes small >/dev/null 2>&1
naive --name r --ship new-b.json
[ -e new-b.json ] || echo "no new-b.json"
