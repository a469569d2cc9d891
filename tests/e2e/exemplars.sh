# Every honest exemplar passes; every faulty one gets the verdict its first comment states.
set -u
cd "$ROOT" || exit 1
bad=0
judge() { # PROBLEM FILE WANT
    got=$("$ASSAY" eval --json --timeout 1000 --budget 1 --runners 1 "$1" "$2" | python3 -c '
import json, sys
r = json.loads(sys.stdin.read())
print(r["verdict"] + (": " + r["reason"] if r["reason"] else ""))')
    if [ "$got" != "$3" ]; then
        echo "$2: $got, expected $3"
        bad=1
    fi
}
for dir in exemplars/cpu/level*/*/ exemplars/cpu/hard/*/; do
    problem=${dir#exemplars/cpu/}
    for file in "$dir"*.c; do judge "${problem%/}" "$file" pass; done
done
n=0
for file in exemplars/cpu/faulty/*.c; do
    want=$(sed -n 's/.*expected: \([a-z_]*\(: [A-Za-z_]*\)\?\).*/\1/p' "$file" | head -n 1)
    problem=$(sed -n 's/.*problem: \([a-z0-9/]*\).*/\1/p' "$file" | head -n 1)
    [ -n "$want" ] || { echo "$file does not say what it expects"; bad=1; }
    judge "${problem:-level1/19}" "$file" "$want"
    n=$((n + 1))
done
[ $n -gt 20 ] || { echo "only $n faulty exemplars"; bad=1; }
exit $bad
