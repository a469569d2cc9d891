# The CUDA exemplars of the hard problems are assembled for Hopper without a warning (wgmma that has to wait for
# one another gives one) and without a register spilled. Their PTX is what cuda_on_host.sh does not see.
# san: no, nvcc does the work
# slow: exemplars/cuda attacks/cuda problems/hard include src/problem/emit.c
set -u
cd "$ROOT" || exit 1
nvcc=${ASSAY_NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
[ -x "$nvcc" ] || { echo "no nvcc"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
assemble() { # NUMBER FILE
    "$ASSAY" show "hard/$1" --as c >"$work/problem.h" || exit 1
    "$nvcc" -std=c++17 -O3 -gencode arch=compute_90a,code=sm_90a -cubin -Xptxas --warn-on-spills \
        -Iinclude -I"$work" -o "$work/kernel.cubin" "$2" >"$work/log" 2>&1 && [ ! -s "$work/log" ] ||
        { echo "$2:"; cat "$work/log"; bad=1; }
}
n=0
for file in exemplars/cuda/hard/*/*.cu $(grep -l 'problem: hard/' attacks/cuda/*.cu); do
    number=$(sed -n 's|.*problem: hard/\([0-9]*\).*|\1|p' "$file")
    [ -n "$number" ] || number=${file#exemplars/cuda/hard/0}
    assemble "${number%%_*}" "$file"
    n=$((n + 1))
done
[ $n -gt 10 ] || { echo "only $n files"; bad=1; }
exit $bad
