# A calibration that was measured on a busy machine must not make honest kernels impossible: before
# `rejected: physics` the device is measured again, and the better figures are kept.
set -u
kernel=$ROOT/exemplars/cpu/level1/001_square_matrix_multiplication/fast.c
"$ASSAY" eval level1/1 "$kernel" >/dev/null || exit 1
file=$(ls "$ASSAY_HOME"/calibration/*.json)
sed -i 's/"f32_flops_s": [0-9.e+]*/"f32_flops_s": 1e6/' "$file"
"$ASSAY" eval level1/1 "$kernel" || exit 1
python3 -c '
import json, sys
assert json.load(open(sys.argv[1]))["f32_flops_s"] > 1e8' "$file"
