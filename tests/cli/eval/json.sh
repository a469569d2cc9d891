# The keys others rely on are there. 18 calls at least are scored, however slow the machine is.
# covers: src/judge/record.c
printf 'op relu\ntime 10us\n' >k.fake
"$ASSAY" eval level1/19 k.fake --json >r.json
echo "exit $?"
python3 - <<'P'
import json
r = json.loads(open("r.json").read())
print(sorted(r))
print(sorted(r["sizes"][0]))
print(sorted(r["audit"]), sorted(r["audit"]["sizes"][0]))
print(r["problem"], r["verdict"], r["reason"], r["device"], r["sizes"][0]["cold_us"], len(r["sizes"][0]["samples"]) >= 18)
s = r["sizes"][0]
print({len(s[k]) for k in s if k.startswith("sample")} == {s["fresh"]}, len(set(s["sample_content"])) == s["fresh"])
p = r["phases_ms"]
inside = sum(p[k] for k in p if k not in ("load", "open", "candidate", "total"))
print(sorted(p), 0 < inside <= p["total"])
P
