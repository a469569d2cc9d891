# Two evaluations at once on one device: both are judged, one after the other.
set -u
printf 'op relu\ntime 10us\nsleep 2ms\n' >k.fake
for i in 1 2 3 4; do "$ASSAY" eval level1/19 k.fake --json >"r$i.json" & done
wait
python3 - <<'P'
import json, sys
rs = [json.load(open(f"r{i}.json")) for i in (1, 2, 3, 4)]
assert all(r["verdict"] == "pass" for r in rs), [r["verdict"] for r in rs]
waited = sum(r["phases_ms"]["queue"] > 20 for r in rs)
assert waited >= 2, [r["phases_ms"]["queue"] for r in rs]
P
