mkdir -p gen/a/level1_19
printf 'op relu\ntime 20us\n' >gen/a/level1_19/sample0.fake
printf 'op relu\ntime 40us\n' >gen/a/level1_19/sample1.fake
"$ASSAY" run gen --name r --repeats 2 >/dev/null 2>&1
"$ASSAY" analyze r --json | python3 -c '
import json, sys
a = json.load(sys.stdin)
m = a["models"][0]["all"]
print(sorted(a), a["run"], a["sizes"])
print(m["correct_rate"], m["fast_p"]["0"], m["fast_p"]["1"], m["pass_at_k"])
print([(c["samples"], c["peak_fraction"]["best_sample"]) for c in a["cells"]], a["reversals"])'
