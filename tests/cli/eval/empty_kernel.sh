# A kernel that is faster than an empty one is no discovery, cold or back to back. Loops of our own are exempt: their
# times are what others are compared with.
# alone: it measures time
# covers: src/judge/call_floor.c src/judge/session_size.c
cp "$ROOT/exemplars/cpu/level1/019_relu/naive.c" relu.c
"$ASSAY" calibrate >/dev/null
floor() { # COLD_NS HOT_NS
    python3 - "$1" "$2" "$ASSAY_HOME"/calibration/*.json <<'P'
import json, sys
c = json.load(open(sys.argv[3]))
c["cold_floor_ns"], c["hot_floor_ns"] = map(float, sys.argv[1:3])
json.dump(c, open(sys.argv[3], "w"))
P
}
judge() { # CANDIDATE: figures differ between machines
    "$ASSAY" eval level1/19 "$1" --sizes small --json --no-store | python3 -c '
import json, re, sys
r = json.load(sys.stdin)
print(r["kind"], r["verdict"], r["reason"], re.sub(r"^[0-9.]+", "N", r["detail"] or ""))'
}
for floors in "1e9 0" "0 1e9" "0 0"; do
    echo "-- $floors"
    floor $floors
    judge relu.c
    judge cpu:naive
done
