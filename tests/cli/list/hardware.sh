"$ASSAY" list --hardware | sed -n 's/  *NVIDIA H200 Tensor.*H200 SXM//; 1p; /^NVIDIA H200 /p; /^AMD Instinct MI300X /p; $p'
"$ASSAY" list --hardware --json | python3 -c '
import json, sys
rows = {name: row for row in json.load(sys.stdin) for name in row["names"]}
h200 = rows["NVIDIA H200"]
print(sorted(h200))
print(h200["bandwidth_gb_s"], h200["memory_gb"], h200["source"])
print(h200["tflops"])'
