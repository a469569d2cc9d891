"$ASSAY" list hard --json | python3 -c '
import json, sys
for p in json.load(sys.stdin):
    print(p["name"], p["level"], p["id"])'
"$ASSAY" show hard/01 | head -n 1
