# The examples of docs/devices are what their pages say: they pass on a device that is here, and those for CUDA compile as
# they stand, by nvcc and by NVRTC. A page has an example for each suffix that its device takes. Those in Python are in
# docs/candidates.md. A block's language is the suffix of its file, but for CUDA and Python. Examples of another device
# that is not here are left out, and named; the rest is judged all the same.
# san: no, nvcc and NVRTC do the work
# long: 7 s
set -u
cd "$ROOT" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
lacks=
nvcc=${ASSAY_NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
nvrtc=${ASSAY_NVRTC:-${CUDA_HOME:-/usr/local/cuda}/lib64/libnvrtc.so}
by_nvcc() { # FILE
    [ -x "$nvcc" ] || { lacks=nvcc; return 0; }
    "$nvcc" -std=c++17 -O3 -gencode arch=compute_90a,code=sm_90a -shared -cudart static -Xcompiler -fPIC \
        -Xlinker -z,defs -Iinclude -I"$work" -o "$work/artifact" "$1" >"$work/log" 2>&1
}
by_nvrtc() { # FILE
    [ -e "$nvrtc" ] || { lacks=NVRTC; return 0; }
    "${ASSAY%/*}/assay-nvrtc" --library="$nvrtc" --gpu-architecture=sm_90a --std=c++17 -default-device \
        -o "$work/artifact" "$1" >"$work/log" 2>&1
}
here=$(python3 tests/e2e/devices_here.py here)
judge() { # DEVICE FILE
    grep -qx "$1" <<<"$here" || { echo "left out: $1/${2##*/}: no $1 here"; return 0; }
    "$ASSAY" eval --device "$1" --check-only "$problem" "$2" >"$work/log" 2>&1
}
n=0
for page in docs/devices/*.md; do
    device=$(basename "$page" .md)
    mkdir "$work/$device"
    suffixes=$(python3 tests/e2e/devices_here.py suffixes "$device" | tr -d .)
    # shellcheck disable=SC2046 # they are words
    tests/e2e/pages.py blocks "$page" "$work/$device" cuda=cu $(sed 's/.*/&=&/' <<<"$suffixes")
    for suffix in $suffixes; do
        [ "$suffix" = py ] || ls "$work/$device"/*."$suffix" >/dev/null || { echo "$page: no example in .$suffix"; bad=1; }
    done
    for file in "$work/$device"/*; do
        problem=$(sed -n 's/.*assay show \([^ ]*\) --as c.*/\1/p' "$file")
        problem=${problem:-level1/19}
        "$ASSAY" show "$problem" --as c >"$work/problem.h" || exit 1
        if [ "$device" != cuda ]; then judge "$device" "$file"
        elif grep -q '^// assay: launch' "$file"; then by_nvrtc "$file"
        else by_nvcc "$file"; fi || { echo "$device/${file##*/}:"; cat "$work/log"; bad=1; }
        n=$((n + 1))
    done
done
mkdir "$work/python"
tests/e2e/pages.py blocks docs/candidates.md "$work/python" python=py
for file in "$work"/python/*.py; do
    # Triton needs a GPU: tests/gpu/python has the same kernel.
    ! grep -q '^import triton' "$file" || continue
    problem=$(sed -n 's/^# assay eval \([^ ]*\) .*/\1/p' "$file")
    if ! judge cpu "$file"; then
        grep -q 'no torch' "$work/log" && lacks=torch || { echo "python/${file##*/}:"; cat "$work/log"; bad=1; }
    fi
    n=$((n + 1))
done
[ $n -ge 7 ] || { echo "only $n examples"; bad=1; }
[ $bad = 1 ] || [ -z "$lacks" ] || { echo "no $lacks: its examples are left out, the others pass"; exit 77; }
exit $bad
