# The examples of docs/candidates.md are what their page says: those for the CPU pass, those for GPUs compile
# as they stand, by nvcc and by NVRTC.
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
by_python() { # PROBLEM FILE
    "$ASSAY" eval --check-only "$1" "$2" >"$work/log" 2>&1 && return
    grep -q 'no torch' "$work/log" && lacks=torch
}
tests/e2e/pages.py blocks docs/candidates.md "$work" c=c cuda=cu python=py
n=0
for file in "$work"/[0-9].c "$work"/[0-9].cu "$work"/[0-9].py; do
    problem=$(sed -n 's/.*assay show \([^ ]*\) --as c.*/\1/p; s/^# assay eval \([^ ]*\) .*/\1/p' "$file")
    "$ASSAY" show "${problem:-level1/19}" --as c >"$work/problem.h" || exit 1
    case $file in
    *.py) by_python "$problem" "$file" ;;
    *.c) "$ASSAY" eval --check-only "$problem" "$file" >"$work/log" 2>&1 ;;
    *) if grep -q '^// assay: launch' "$file"; then by_nvrtc "$file"; else by_nvcc "$file"; fi ;;
    esac || { echo "${file##*/}:"; cat "$work/log"; bad=1; }
    n=$((n + 1))
done
[ $n -ge 6 ] || { echo "only $n examples"; bad=1; }
[ $bad = 1 ] || [ -z "$lacks" ] || { echo "no $lacks"; exit 77; }
exit $bad
