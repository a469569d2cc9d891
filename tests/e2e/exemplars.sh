# Every exemplar of a device that is here passes: timed at small sizes, and right at medium ones. tests/gpu/run judges those
# for CUDA.
# long: 25 s
# san: no, candidates do the work
set -u
rows=$PWD/rows.jsonl
cd "$ROOT" || exit 1
want=0
devices=$(python3 tests/e2e/devices_here.py judged exemplars)
for device in $devices; do
    for dir in exemplars/"$device"/*/*/; do
        problem=${dir#exemplars/"$device"/}
        files=("$dir"*.*)
        set -- --json --runners 1 --device "$device" "${problem%/}" "${files[@]}"
        "$ASSAY" eval --sizes small --budget 1 "$@" >>"$rows"
        "$ASSAY" eval --sizes medium --check-only "$@" >>"$rows"
        want=$((want + 2 * ${#files[@]}))
    done
done
[ $want -ge 60 ] || { echo "only $want verdicts are due, with devices $devices"; exit 1; }
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
