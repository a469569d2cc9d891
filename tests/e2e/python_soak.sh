# Thirty evaluations of candidates in Python leave no process, mount, folder or descriptor; nor do four kills, of judge,
# zygote, the process between and a runner, and the evaluation after them works. bench/soak_python.sh does more of it.
# san: no, PyTorch does the work
# covers: src/process/zygote.c src/process/pyproc.c workers/zygote.py
# slow: src/process src/sandbox src/python src/judge workers tests/python bench/soak_python.sh
# long: 30 s
set -u
exec "$ROOT/bench/soak_python.sh" "$ASSAY" 30 4 2>&1
