"$ASSAY" show level1/5 hard/6 --json | python3 -c '
import json, sys
for p in json.load(sys.stdin):
    print(*sorted(p))
    for size in p["sizes"]:
        print(size["set"], *(size[key] for key in ("size", "module")))
    print(json.dumps(p["sizes"][-1], sort_keys=True))'
"$ASSAY" show level1/13 level3/9 --json | python3 -c '
import json, sys
for p in json.load(sys.stdin):
    print(p["foreign"], [size["module"]["init_python"] for size in p["sizes"]])'
