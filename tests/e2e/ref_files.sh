# References in KernelBench's form (tests/ref): each has the inputs, parameters and constructor arguments of the problem
# whose number it bears, and gives the same in float32 and in double.
# san: no, PyTorch does the work
# covers: src/problem/construct.c
# slow: problems src/problem tests/ref tests/e2e/ref_files.sh
# long: 10 s
set -u
for python in ${ASSAY_PYTHON:-python3 /usr/bin/python3}; do
    "$python" -c 'import torch' 2>/dev/null && break
    python=
done
[ -n "${python:-}" ] || { echo "no torch"; exit 77; }
"$python" "$ROOT/tests/ref/check.py" "${ASSAY%/assay}"
