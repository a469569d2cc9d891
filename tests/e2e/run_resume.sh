# kill -9 of any process of a run at random moments, resumed each time: one record for every candidate, none
# twice, none lost, and the verdicts of a run that nobody disturbed.
# KILLS and CANDIDATES make it larger (bench/run_many.py).
# covers: src/run/lane.c src/run/queue.c src/run/run.c src/store/run_store.c
# long: 25 s
set -u
kills=${KILLS:-8} count=${CANDIDATES:-60}
python3 "$ROOT/bench/make_candidates.py" gen "$count" || exit 1

# The run itself, or anything below it: builders, compilers, runners.
tree() {
    local pid=$1 child
    echo "$pid"
    for child in $(pgrep -P "$pid"); do tree "$child"; done
}
starts=0
start() {
    "$ASSAY" run gen --name killed --sizes small >out.txt 2>err.txt &
    run=$!
    starts=$((starts + 1))
}
victims=""
trap '[ $? = 0 ] || echo "killed:$victims"' EXIT # what to try again
start
for _ in $(seq "$kills"); do
    sleep "$((RANDOM % 2)).$((RANDOM % 10))$((RANDOM % 10))"
    kill -0 $run 2>/dev/null || { wait $run; start; sleep 0.1; }
    mapfile -t all < <(tree $run)
    victim=${all[$((RANDOM % ${#all[@]}))]}
    victims="$victims $(cat "/proc/$victim/comm" 2>/dev/null)"
    kill -9 "$victim" 2>/dev/null
    if [ "$victim" = "$run" ]; then wait $run 2>/dev/null; start; fi
done
wait $run
"$ASSAY" run gen --name killed --sizes small >out.txt 2>err.txt
query() { sqlite3 "$ASSAY_HOME/store.db" "$1"; }
[ "$(query 'pragma integrity_check')" = ok ] || { echo "store is damaged"; exit 1; }
[ "$(query 'select count(*), count(distinct record) from cells')" = "$count|$count" ] ||
    { echo "cells: $(query 'select count(*), count(distinct record) from cells')"; exit 1; }
[ "$(query 'select count(*), count(distinct candidate_hash) from records')" = "$count|$count" ] ||
    { echo "records: $(query 'select count(*), count(distinct candidate_hash) from records')"; exit 1; }
query 'select c.file, r.verdict, r.reason from cells c join records r on r.id = c.record' >found
python3 - <<'P' || exit 1
import json
expected = json.load(open("gen.expected.json"))
bad = [line for line in open("found") if line.split("|")[1] not in expected[line.split("|")[0]]]
print("".join(bad), end="")
raise SystemExit(bool(bad))
P
echo "$kills kills ($(echo "$victims" | tr ' ' '\n' | sort | uniq -c | sort -rn | awk 'NF > 1 {printf "%s %s ", $1, $2}')), $starts starts: $count records, each candidate once, all as expected"
