# The CUDA exemplars of the hard problems, run on the CPU (tests/emu/host): at their small sizes and at sizes
# with several tiles, rings that come round and ragged ends everywhere, judged as any candidate. And the
# faulty ones that compute something: only a GPU's machine code tells the bf16 detour from fp8, only its
# memory holds a copy, and only its clock tells who remembers.
# san: no, candidates do the work
# slow: exemplars/cuda attacks/cuda problems/hard tests/emu include src/problem/emit.c
set -u
cd "$ROOT" || exit 1
[ "$(uname -m)" = x86_64 ] || { echo "fibers were only tried on x86_64"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
ragged() { # NUMBER
    case $1 in
    1) echo "{ M = 150, N = 134, K = 1153 }, { M = 3, N = 2, K = 5 }" ;;
    2) echo "{ B = 1, T = 192, H = 2, K = 128, V = 128 }" ;;
    3) echo "{ B = 3, H = 8, HKV = 2, D = 128, L = 77, P = 16 }, { B = 2, H = 4, HKV = 4, D = 64, L = 33, P = 16 }" ;;
    4) echo "{ B = 3, V = 16384 }" ;;
    5) echo "{ B = 2, N = 3001, TOP = 33 }" ;;
    6) echo "{ TOKENS = 150, HIDDEN = 392, I = 136, E = 5, TOP = 2 }" ;;
    7) echo "{ M = 70, N = 96, K = 384 }, { M = 17, N = 64, K = 128 }" ;;
    esac
}
judge() { # NUMBER FILE WANT
    "$ASSAY" show "hard/$1" --as c >"$work/problem.h" || exit 1
    tests/emu/host/cuda_on_host "$work/problem.h" "$2" "$work/kernel.c" || { echo "$2: not translated"; bad=1; return; }
    sed "s/^  small = .*/  small = { $(ragged "$1") },/" problems/hard/"0$1"_*.lua >"$work/ragged.lua"
    for problem in "hard/$1" "$work/ragged.lua"; do
        got=$("$ASSAY" eval --json --check-only --sizes small --timeout 20000 --runners 1 --device cpu "$problem" "$work/kernel.c" | python3 -c '
import json, sys
r = json.loads(sys.stdin.read())
print(r["verdict"] + (": " + r["reason"] if r["reason"] else ""), r["detail"] or "", sep="|")')
        [ "${got%%|*}" = "$3" ] || { echo "$2 ($problem): $got, expected $3"; bad=1; }
    done
}
n=0
for file in exemplars/cuda/hard/*/*.cu; do
    number=${file#exemplars/cuda/hard/0}
    judge "${number%%_*}" "$file" pass
    n=$((n + 1))
done
[ $n -ge 7 ] || { echo "only $n exemplars"; bad=1; }
# What calls the driver takes hold of the runner itself, and that needs a GPU's.
for file in $(grep -l 'problem: hard/' attacks/cuda/*.cu | xargs grep -L '<cuda.h>'); do
    want=$(sed -n 's/.*expected: \([a-z_]*\(: [A-Za-z_]*\)\?\).*/\1/p' "$file")
    number=$(sed -n 's|.*problem: hard/\([0-9]*\).*|\1|p' "$file")
    case $want in "rejected: evidence" | "rejected: memory" | "rejected: physics") want=pass ;; esac
    judge "$number" "$file" "$want"
done
exit $bad
