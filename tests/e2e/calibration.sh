# A calibration that was measured on a busy machine must not make honest kernels impossible: before
# `rejected: physics` the device is measured again, and the better figures are kept.
# alone: it measures time
# covers: src/hardware/calibrate_cpu.c src/judge/session_size.c
set -u
kernel=$ROOT/exemplars/cpu/level1/001_square_matrix_multiplication/fast.c
"$ASSAY" eval --sizes small level1/1 "$kernel" >/dev/null || exit 1
file=$(ls "$ASSAY_HOME"/calibration/*.json)
sed -i 's/"fp32": [0-9.e+]*/"fp32": 1e6/' "$file"
"$ASSAY" eval --sizes small level1/1 "$kernel" || exit 1
python3 -c '
import json, sys
assert json.load(open(sys.argv[1]))["flops_s"]["fp32"] > 1e8' "$file"
