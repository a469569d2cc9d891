# A shipped baseline on a device that fits, on another of the same name, and on a foreign one. The fake device's claims
# are exact.
# covers: src/results/shipped.c src/results/named_baseline.c
mkdir -p gen/a/level1_19 gen/b/level1_19
printf 'op relu\ntime 20us\n' >gen/a/level1_19/sample0.fake
printf 'op relu\ntime 100us\n' >gen/b/level1_19/sample0.fake
"$ASSAY" run gen --name r >/dev/null 2>&1
"$ASSAY" show level1/19 level1/20 --json | python3 -c '
import json, sys
rows = []
for p in json.load(sys.stdin):
    sizes = [{"hash": s["hash"], "cold_us": 50.0, "cold_lo": 49.0, "cold_hi": 51.0, "hot_us": 40.0}
             for s in p["sizes"] if s["set"] == "small"]
    rows.append({"problem": p["name"], "hash": p["hash"], "kind": "torch:eager", "created": "2026-01-01T00:00:00Z",
                 "verdict": "pass", "sizes": sizes})
origin = {"sizes": "small", "fingerprint": "fake", "driver": "none", "toolchain": "torch 2.11.0", "assay": "0.1.0",
          "weights": "per_call", "rows": rows}
file = {"schema": "assay-baselines/1", "device": "fake", "name": "fake device", "origins": [origin]}
json.dump(file, open("fits.json", "w"))
origin["fingerprint"] = "another"
json.dump(file, open("name.json", "w"))
file["name"] = "Fast"
json.dump(file, open("other.json", "w"))
rows[0]["hash"] = "0" * 64
origin["fingerprint"] = "fake"
json.dump(file, open("old.json", "w"))
origin["sizes"] = "full"
json.dump(file, open("full.json", "w"))
del file["origins"][0]["rows"][1]
json.dump(dict(file, schema=1), open("schema.json", "w"))'
for file in fits name other old; do
    "$ASSAY" analyze r --baseline shipped:$file.json:torch:eager
    echo
done
figures() { grep -o '"baseline":"[^"]*"'; }
notes() { grep -o '"baseline_notes":[^]]*]'; }
"$ASSAY" analyze r --baseline shipped:other.json:torch:eager --json >a.json
figures <a.json && notes <a.json
"$ASSAY" report r --baseline shipped:other.json:torch:eager -o r.html
figures <r.html && notes <r.html
# Words and files that are wrong.
echo '{' >broken.json
for word in fits.json:torch:compile full.json:torch:eager none.json:torch:eager broken.json:torch:eager \
    schema.json:torch:eager ./fits:torch:eager torch:eager fits.json; do
    "$ASSAY" analyze r --baseline shipped:$word 2>&1
    echo "exit $?"
done
"$ASSAY" analyze r --baseline shipped:none:torch:eager 2>&1 | sed 's| /.*/results| SHARE/results|'
"$ASSAY" analyze r --baseline shipped:fits.json:torch:eager --foreign kb.json 2>&1
echo "exit $?"
