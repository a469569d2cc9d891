# Five megabytes of source were an error without a record, and nobody behind it was judged.
truncate -s 5M long.fake
printf 'op relu\n' >right.fake
"$ASSAY" eval level1/19 long.fake right.fake --json >r.json
echo "exit $?"
python3 - <<'P'
import json
for line in open("r.json"):
    r = json.loads(line)
    print(r["candidate"]["file"], r["candidate"]["bytes"], r["verdict"], r["reason"], r["detail"])
P
