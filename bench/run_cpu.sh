#!/bin/bash
# SPDX-License-Identifier: MIT
# `assay run` on the CPU: candidates a second with cold and with cached builds, memory, and kills at random
# moments. usage: bench/run_cpu.sh ASSAY [CANDIDATES [KILLS [KILL_CANDIDATES [RESULT.json]]]]
set -u
assay=$(realpath "$1") count=${2:-2000} kills=${3:-50} kill_count=${4:-500} result=${5:-}
[ -z "$result" ] || result=$(realpath -m "$result")
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
export ASSAY_HOME=$work/home ASSAY_CACHE=$work/cache TMPDIR=$work/tmp ASSAY_SHARE=$root
mkdir "$TMPDIR"
cd "$work" || exit 1
python3 "$root/bench/make_candidates.py" gen "$count" || exit 1
"$assay" calibrate >/dev/null || exit 1

# One run, with its resident memory early and at most: the contents of one problem at a time, so it goes up and down.
measure() {
    local name=$1 pid rss="" first="" most=0
    "$assay" run gen --name "$name" --json >"$name.json" 2>"$name.err" &
    pid=$!
    sleep 3
    while rss=$(awk '/VmRSS/ {print $2}' /proc/$pid/status 2>/dev/null) && [ -n "$rss" ]; do
        first=${first:-$rss}
        [ "$rss" -le "$most" ] || most=$rss
        sleep 0.5
    done
    wait $pid
    tail -n 1 "$name.err"
    echo "  resident: $((${first:-0} / 1024)) MiB after 3 s, $((most / 1024)) MiB at most"
    echo "$name ${first:-0} $most" >>memory
}
echo "== $count candidates, 20 problems, builds cold"
measure cold
echo "== the same, builds cached"
measure cached
sqlite3 home/store.db "select c.file, r.verdict from cells c join records r on r.id = c.record" >found
wrong=$(python3 -c '
import json
expected = json.load(open("gen.expected.json"))
print(sum(line.strip().split("|")[1] not in expected[line.split("|")[0]] for line in open("found")))')
echo "  verdicts that are not as expected: $wrong of $((2 * count))"

echo "== $kills kills in a run of $kill_count candidates"
mkdir killed && cd killed || exit 1
kill_line=$(ASSAY=$assay ROOT=$root ASSAY_HOME=$work/killed/home KILLS=$kills CANDIDATES=$kill_count \
    bash "$root/tests/e2e/run_resume.sh")
kill_status=$?
echo "$kill_line"
cd ..
if [ -n "$result" ]; then
    python3 - "$result" <<P
import json, sys
runs = {name: json.load(open(name + ".json")) for name in ("cold", "cached")}
memory = {l.split()[0]: [int(x) / 1024 for x in l.split()[1:]] for l in open("memory")}
json.dump({"bench": "run_cpu", "date": "$(date -u +%FT%TZ)", "device": "$(sed -n 's/model name.*: //p' /proc/cpuinfo | head -n 1)",
  "cores": $(nproc), "assay": "$("$assay" --version)", "candidates": $count, "problems": 20,
  **{name: {"seconds": r["seconds"], "per_second": r["judged"] / r["seconds"], "rss_mib_early": memory[name][0],
            "rss_mib_most": memory[name][1]} for name, r in runs.items()},
  "unexpected_verdicts": $wrong, "kills": $kills, "kill_candidates": $kill_count, "kill_result": """$kill_line""",
  "load_average": open("/proc/loadavg").read().split()[:3]}, open(sys.argv[1], "w"), indent=1)
P
fi
[ "$wrong" = 0 ] && [ $kill_status = 0 ]
