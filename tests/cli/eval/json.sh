# The keys others rely on are there.
printf 'op relu\ntime 10us\n' >k.fake
"$ASSAY" eval level1/19 k.fake --json >r.json
echo "exit $?"
python3 - <<'P'
import json
r = json.loads(open("r.json").read())
print(sorted(r))
print(sorted(r["sizes"][0]))
print(r["problem"], r["verdict"], r["reason"], r["device"], r["sizes"][0]["cold_us"], len(r["sizes"][0]["samples"]))
P
