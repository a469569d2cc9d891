"$ASSAY" list level1 level2 level3 --json | python3 -c '
import json, sys
rows = json.load(sys.stdin)
names = {r["name"] for r in rows}
print({"level1/019_relu", "level2/022_matmul_scale_residual_clamp_logsumexp_mish", "level3/044_mini_gpt_block"} <= names)
print(sorted(rows[0]))
print([r["flops"] for r in rows if r["name"].startswith("level1/001_")])'
