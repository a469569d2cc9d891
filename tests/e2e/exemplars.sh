# Every exemplar passes: timed at small sizes, and right at medium ones.
# long: 25 s
# san: no, candidates do the work
set -u
rows=$PWD/rows.jsonl
cd "$ROOT" || exit 1
want=0
for dir in exemplars/cpu/level*/*/ exemplars/cpu/hard/*/; do
    problem=${dir#exemplars/cpu/}
    files=("$dir"*.c)
    "$ASSAY" eval --json --runners 1 --sizes small --budget 1 "${problem%/}" "${files[@]}" >>"$rows"
    "$ASSAY" eval --json --runners 1 --sizes medium --check-only "${problem%/}" "${files[@]}" >>"$rows"
    want=$((want + 2 * ${#files[@]}))
done
python3 - "$rows" $want <<'P'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
bad = [r for r in rows if r["verdict"] != "pass"]
for r in bad:
    print(r["problem"], r["candidate"]["file"], [s["params"] for s in r["sizes"]], r["verdict"], r["reason"], r["detail"])
if len(rows) != int(sys.argv[2]):
    sys.exit("%d verdicts, expected %s" % (len(rows), sys.argv[2]))
sys.exit(bool(bad))
P
