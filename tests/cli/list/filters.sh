# Filters combine; the reason is shown where it is asked for.
"$ASSAY" list level1 --op cumsum --json | python3 -c 'import json, sys; print([r["id"] for r in json.load(sys.stdin)])'
"$ASSAY" list level1 --grep relu --repaired
