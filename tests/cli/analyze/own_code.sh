# Where a problem requires a class of tensor cores, passes of which only the own code was seen are not ranked with others.
# Such a record needs a GPU, so records of the fake device are changed to look like it.
# covers: src/results/results.c
mkdir -p gen/cu/level1_19 gen/py/level1_19 gen/free/level1_19
printf 'op relu\ntime 20us\n' >gen/cu/level1_19/sample0.fake
printf 'op relu\ntime 10us\n' >gen/py/level1_19/sample0.fake
printf 'op relu\ntime 12us\n' >gen/py/level1_19/sample1.fake
printf 'op relu\ntime 15us\n' >gen/free/level1_19/sample0.fake
"$ASSAY" run gen --name r >/dev/null 2>&1
seen() { # TIME SCOPE REQUIRES
    sqlite3 "$ASSAY_HOME/store.db" "update records set json = json_set(json, '\$.evidence', json('{\"checked\": true, \"scope\": \"$2\", \"requires\": $3}')) where json_extract(json, '\$.sizes[0].cold_us') = $1"
}
seen 10 own_code '"bf16"'
seen 12 own_code '"bf16"'
seen 15 own_code null
seen 20 all '"bf16"'
"$ASSAY" analyze r
"$ASSAY" report r --markdown
"$ASSAY" report r --json | python3 -c '
import json, sys
p = json.load(sys.stdin)["per_problem"]["level1/019_relu"]
print([[x["model"] for x in p[key]] for key in ("ranked_passes", "ranked_own_code")], p["best_model"])'
