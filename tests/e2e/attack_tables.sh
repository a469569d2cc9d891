# Every device with a folder of attacks has a candidate for each number of the catalogue, or says why not. Python's folder
# is no device's, and has what it has.
python3 - "$ROOT/attacks" <<'P'
import os, re, sys

def numbered(page):
    """{number: [the other cells]} of a page's table"""
    rows = (re.match(r"\| (\d+) \| ([^|]+) \| ([^|]*) \|$", line) for line in open(page))
    return {int(row.group(1)): [row.group(2), row.group(3).strip()] for row in rows if row}

folder = sys.argv[1]
catalogue = numbered(os.path.join(folder, "README.md"))
assert len(catalogue) > 110, len(catalogue)
devices = {d for d in os.listdir(folder) if os.path.isdir(os.path.join(folder, d))}
assert devices >= {"cpu", "cuda"}, devices
for device in devices:
    rows = numbered(os.path.join(folder, device, "README.md"))
    assert set(rows) <= set(catalogue), (device, "not in the catalogue", set(rows) - set(catalogue))
    listed = {"%03d_%s" % (n, idea) for n, row in rows.items() for idea in re.findall(r"`(\w+)`", row[0])}
    there = {os.path.splitext(f)[0] for f in os.listdir(os.path.join(folder, device)) if f != "README.md"}
    assert listed == there, (device, listed ^ there)
    for n, (idea, note) in catalogue.items() if device != "python" else ():
        candidates, why = rows.get(n, ["-", note])
        assert "`" in candidates or why, "%d has no candidate for %s and no reason" % (n, device)
P
