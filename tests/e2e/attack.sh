# The CPU part of the attack corpus, but for those that must get a certain time (attack_times): nothing is missed, nobody
# honest is punished; and every number of the catalogue has a candidate on each device or says why not.
# long: 35 s
set -u
python3 "$ROOT/tests/e2e/attacks.py" others || exit 1
python3 - "$ROOT" <<'P' || exit 1
import os, re, sys
root = sys.argv[1]
rows = {}
for line in open(os.path.join(root, "attacks/README.md")):
    m = re.match(r"\| (\d+) \| [^|]+ \| ([^|]+) \| ([^|]+) \| ([^|]*) \|$", line)
    if m:
        rows[int(m.group(1))] = m.groups()[1:]
assert len(rows) > 110, len(rows)
for column, device in enumerate(("cpu", "cuda")):
    listed = {"%03d_%s" % (n, idea) for n, row in rows.items() for idea in re.findall(r"`(\w+)`", row[column])}
    there = {os.path.splitext(f)[0] for f in os.listdir(os.path.join(root, "attacks", device))}
    assert listed == there, (device, listed ^ there)
    for n, row in rows.items():
        assert "`" in row[column] or row[2].strip(), "%d has no candidate for %s and no reason" % (n, device)
P
