export ASSAY_PYTHON=$PWD/none # importing PyTorch takes seconds
"$ASSAY" doctor --json | python3 -c '
import json, sys
found = {f["what"] for f in json.load(sys.stdin)}
print(sorted(found & {"assay", "cpu", "fake", "builder", "runner", "clock", "store", "cc", "nvcc", "torch"}))'
