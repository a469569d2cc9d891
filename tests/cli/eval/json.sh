# The keys of a record are those that docs/record.md describes, table by table: no more and no fewer. 18 calls at least
# are scored, however slow the machine is.
# covers: src/judge/record.c
printf 'op relu\ntime 10us\n' >k.fake
"$ASSAY" eval level1/19 k.fake --json >r.json
echo "exit $?"
python3 - "$ROOT/docs/record.md" <<'P'
import json, re, sys
r = json.loads(open("r.json").read())

# {heading: keys in the first cells of the table below it}
tables = {}
for line in open(sys.argv[1]):
    heading = re.match(r"#+ (.*)", line)
    row = re.match(r"\| (`[^|]*`) \|", line)
    if heading:
        keys = tables.setdefault(heading.group(1), [])
    elif row:
        keys += re.findall(r"`([^`]*)`", row.group(1))
objects = {
    "The record": r, "Phases": r["phases_ms"], "Keys of one size": r["sizes"][0], "Calibration": r["calibration"],
    "Audit": r["audit"], "Audit of one size": r["audit"]["sizes"][0],
}
for heading, found in objects.items():
    keys = tables[heading]
    twice = {key for key in keys if keys.count(key) > 1}
    only_page, only_record = sorted(set(keys) - set(found)), sorted(set(found) - set(keys))
    print(heading + ":", "as documented" if keys and not twice and not only_page and not only_record else
          f"only in docs/record.md {only_page}, only in the record {only_record}, twice {sorted(twice)}")
print("not compared:", sorted(set(tables) - set(objects)))
print(r["problem"], r["verdict"], r["reason"], r["device"], r["sizes"][0]["cold_us"], len(r["sizes"][0]["samples"]) >= 18)
s = r["sizes"][0]
print({len(s[k]) for k in s if k.startswith("sample")} == {s["fresh"]}, len(set(s["sample_content"])) == s["fresh"])
p = r["phases_ms"]
inside = sum(p[k] for k in p if k not in ("load", "open", "candidate", "total"))
print(0 < inside <= p["total"])
P
exit 0
