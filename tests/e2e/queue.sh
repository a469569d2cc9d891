# Four evaluations at once on one device: all are judged, each when it has the device for itself.
# covers: src/process/devlock.c
set -u
. "$ROOT/tests/e2e/waiting.bash"
printf 'op relu\ntime 10us\n' >k.fake
hold_device
evals=()
for i in 1 2 3 4; do
    "$ASSAY" eval level1/19 k.fake --json >"r$i.json" &
    evals+=($!)
done
await all_wait "${evals[@]}" || { echo "they do not wait for the device"; cat /proc/locks; exit 1; }
sleep 0.1
let_go
wait
python3 - <<'P'
import json
rs = [json.load(open(f"r{i}.json")) for i in (1, 2, 3, 4)]
assert all(r["verdict"] == "pass" for r in rs), [r["verdict"] for r in rs]
assert all(r["phases_ms"]["queue"] >= 100 for r in rs), [r["phases_ms"]["queue"] for r in rs]
P
