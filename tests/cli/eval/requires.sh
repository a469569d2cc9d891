# Tensor cores are asked for: does not apply where nobody reads the machine code, and the record says so.
cat >mine.lua <<'L'
problem { "Mine", level = 1, id = 1 }
sizes { full = { N = 64 }, small = { N = 16 } }
requires { tensor = "fp8", memory = 4096 }
output("y", relu(input("x", f32, { N, N })))
L
printf 'op relu\ntime 5us\n' >k.fake
"$ASSAY" eval mine.lua k.fake
"$ASSAY" show mine.lua | grep -A2 requires
cp "$ROOT/exemplars/cpu/level1/019_relu/naive.c" k.c
for file in k.fake k.c; do
    "$ASSAY" eval mine.lua $file --json --check-only 2>calibrated.txt | python3 -c '
import json, sys
r = json.load(sys.stdin)
print(r["verdict"], json.dumps(r["evidence"], sort_keys=True), r["phases_ms"]["evidence"])'
done
# Nothing asked for, nothing said.
"$ASSAY" eval level1/19 k.fake --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["evidence"])'
sed -i 's/fp8/fp9/' mine.lua
"$ASSAY" eval mine.lua k.fake
