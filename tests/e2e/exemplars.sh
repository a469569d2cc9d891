# Every exemplar passes.
set -u
cd "$ROOT" || exit 1
bad=0
judge() { # PROBLEM FILE WANT
    got=$("$ASSAY" eval --json --budget 1 --runners 1 "$1" "$2" | python3 -c '
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
exit $bad
