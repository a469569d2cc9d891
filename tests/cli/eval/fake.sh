# Every candidate of tests/fake gets the verdict and the reason that its first line states.
# covers: src/terms/verdict.c src/process/rproc_wait.c src/process/rproc_order.c src/content/gate.c
cp "$ROOT"/tests/fake/*.fake .
"$ASSAY" eval --timeout 1500 --seed 7 --budget 1 --json level1/19 ./*.fake >r.json
python3 - <<'P'
import glob, json
records = [json.loads(line) for line in open("r.json")]
got = {r["candidate"]["file"][2:]: "%s: %s" % (r["verdict"], r["reason"]) for r in records}
for file in sorted(glob.glob("*.fake")):
    want = open(file).readline().strip()
    if not want.endswith("# expected: " + got.get(file, "no record")):
        print(file, want, "got:", got.get(file))
print("compared" if len(got) >= 19 else got)
P
