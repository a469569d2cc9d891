# The list of problems whose slow baselines are shipped: 20, 20 and 10 different ones, all of which exist.
# covers: results/baselines/fifty.txt
"$ASSAY" show $(grep -v '#' "$ROOT/results/baselines/fifty.txt") --json | python3 -c '
import collections, json, sys
names = {p["name"] for p in json.load(sys.stdin)}
print(sorted(collections.Counter(n.split("/")[0] for n in names).items()))'
