# Every exemplar passes: timed at small sizes, and right at medium ones.
# alone: it measures time
# san: no, candidates do the work
set -u
cd "$ROOT" || exit 1
bad=0
judge() { # PROBLEM FILE WANT OPTION...
    got=$("$ASSAY" eval --json --runners 1 "${@:4}" "$1" "$2" | python3 -c '
import json, sys
r = json.loads(sys.stdin.read())
print(r["verdict"] + (": " + r["reason"] if r["reason"] else ""))')
    if [ "$got" != "$3" ]; then
        echo "$2 (${*:4}): $got, expected $3"
        bad=1
    fi
}
for dir in exemplars/cpu/level*/*/ exemplars/cpu/hard/*/; do
    problem=${dir#exemplars/cpu/}
    for file in "$dir"*.c; do
        judge "${problem%/}" "$file" pass --sizes small --budget 1
        judge "${problem%/}" "$file" pass --sizes medium --check-only
    done
done
exit $bad
