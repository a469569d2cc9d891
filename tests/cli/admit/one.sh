"$ASSAY" admit 1/19 --json --seed 3 | python3 -c '
import json, sys
r = json.loads(sys.stdin.read())
print(r["problem"], r["admitted"])
for name, case in r["cases"].items():
    print(name, case["outcome"])'
