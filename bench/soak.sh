#!/bin/bash
# SPDX-License-Identifier: MIT
# Many evaluations in one process, then kills at random moments: which resources grow, and what is left behind.
# usage: bench/soak.sh ASSAY [EVALUATIONS [KILLS [RESULT.json]]]
set -u
assay=$(realpath "$1") evals=${2:-1000} kills=${3:-200} result=${4:-}
[ -z "$result" ] || result=$(realpath -m "$result")
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
export ASSAY_HOME=$work/home ASSAY_CACHE=$work/cache TMPDIR=$work/tmp ASSAY_SHARE=$root
mkdir "$TMPDIR"
ex=$root/exemplars/cpu at=$root/attacks/cpu
kinds=("$ex"/level1/019_relu/fast.c "$at"/012_zeros.c "$at"/211_null_pointer.c "$at"/123_fork.c
    "$at"/002_half_written.c "$ex"/level1/019_relu/naive.c "$at"/212_does_not_compile.c
    "$at"/214_returns_error.c "$at"/059_background_thread.c "$at"/098_exits.c)
files=()
for ((i = 0; i < evals; i++)); do files+=("${kinds[i % ${#kinds[@]}]}"); done

echo "== $evals evaluations in one process"
SECONDS=0
: >"$work/records.json"
"$assay" eval --json --sizes small level1/19 "${files[@]}" >"$work/records.json" 2>"$work/err" &
pid=$!
printf '%8s %6s %10s %10s %6s\n' records fds 'RSS MiB' runners tmp
first="" last=""
while kill -0 $pid 2>/dev/null; do
    n=$(wc -l <"$work/records.json")
    row=$(printf '%8d %6d %10.1f %10d %6d' "$n" "$(ls /proc/$pid/fd 2>/dev/null | wc -l)" \
        "$(awk '/VmRSS/ {print $2 / 1024}' /proc/$pid/status 2>/dev/null || echo 0)" \
        "$(pgrep -c -P $pid 2>/dev/null)" "$(find "$TMPDIR" "$ASSAY_CACHE/tmp" -mindepth 1 2>/dev/null | wc -l)")
    if [ "$n" -ge 50 ] && kill -0 $pid 2>/dev/null; then
        [ -n "$first" ] || first=$row
        last=$row
    fi
    [ -z "$last" ] || [ $((n / 100)) = "${shown:-}" ] || { echo "$row"; shown=$((n / 100)); }
    sleep 0.2
done
wait $pid
seconds=$SECONDS
printed=$(wc -l <"$work/records.json")
stored=$(sqlite3 "$ASSAY_HOME/store.db" 'select count(distinct id) from records')
echo "first: $first"
echo "last:  $last"
echo "$printed printed, $stored stored; left over: $(pgrep -c -x assay-runner) runners," \
    "$(find "$TMPDIR" "$ASSAY_CACHE/tmp" -mindepth 1 2>/dev/null | wc -l) temporary files"

echo "== $kills kills"
cd "$work" || exit 1
kill_line=$(ASSAY=$assay ASSAY_RUNNER=$(dirname "$assay")/assay-runner ROOT=$root ROUNDS=$kills \
    bash "$root/tests/e2e/kill_nine.sh")
kill_status=$?
echo "$kill_line"
if [ -n "$result" ]; then
    python3 - "$result" <<P
import json, sys
row = lambda s: dict(zip(("records", "fds", "rss_mib", "children", "tmp"), map(float, s.split())))
json.dump({"bench": "soak", "date": "$(date -u +%FT%TZ)", "device": "$(sed -n 's/model name.*: //p' /proc/cpuinfo | head -n 1)",
  "assay": "$("$assay" --version)", "evaluations": $evals, "printed": $printed, "stored": $stored, "seconds": $seconds,
  "first": row("$first"), "last": row("$last"), "kills": $kills, "kill_result": "$kill_line"}, open(sys.argv[1], "w"), indent=1)
P
fi
[ "$printed" = "$evals" ] && [ "$stored" = "$evals" ] && [ $kill_status = 0 ]
