# Every null of the hard seven fails at every small size, every honest candidate passes.
"$ASSAY" admit hard --seed 3 --json | python3 -c '
import json, sys
rows = [json.loads(line) for line in sys.stdin]
for name in dict.fromkeys(r["problem"] for r in rows):
    mine = [r for r in rows if r["problem"] == name]
    bad = [c for r in mine for c, v in r["cases"].items() if v["outcome"] in ("MISSED", "PUNISHED")]
    print(name, len(mine), "sizes", "admitted" if all(r["admitted"] for r in mine) else bad)'
exit "${PIPESTATUS[0]}"
