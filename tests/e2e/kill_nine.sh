# kill -9 of the judge, or of a runner, at random moments: no zombie, no runner outlives its judge, the
# store stays consistent, and every record that was printed is stored exactly once.
# covers: src/process/rproc.c src/process/spares.c src/store/store.c
# long: 16 s
set -u
. "$ROOT/tests/e2e/waiting.bash"
rounds=${ROUNDS:-30}
printf 'op relu\ntime 10us\nsleep 100us\n' >k.fake
: >printed
for i in $(seq "$rounds"); do
    spares=$([ $((i % 3)) = 0 ] && echo "--spares 4") # some of them wait while others run
    # shellcheck disable=SC2086
    "$ASSAY" eval level1/19 k.fake --json $spares >out.json 2>/dev/null &
    judge=$!
    sleep "0.0$((RANDOM % 10))$((RANDOM % 10))"
    if [ $((i % 2)) = 0 ]; then
        kill -9 $judge 2>/dev/null
    else # one of its runners
        runner=$(pgrep -P $judge -x assay-runner | head -n 1)
        [ -z "$runner" ] || kill -9 "$runner" 2>/dev/null
    fi
    wait $judge 2>/dev/null
    python3 -c '
import json
for line in open("out.json"):
    try:
        print(json.loads(line)["id"])
    except ValueError:
        pass # cut in half by the kill: not printed' >>printed
done
await no_runners || { echo "runners outlive their judge"; exit 1; }
if ps -eo ppid,stat,comm | awk -v me=$$ '$1 == me && $2 ~ /^Z/ && $3 ~ /assay/' | grep -q .; then
    echo "zombies"
    exit 1
fi
[ "$(sqlite3 "$ASSAY_HOME/store.db" 'pragma integrity_check')" = ok ] || { echo "store is damaged"; exit 1; }
while read -r id; do
    n=$(sqlite3 "$ASSAY_HOME/store.db" "select count(*) from records where id = '$id'")
    [ "$n" = 1 ] || { echo "record $id is stored $n times"; exit 1; }
done <printed
[ "$(wc -l <printed)" -gt 0 ] || { echo "nothing was ever printed"; exit 1; }
"$ASSAY" eval level1/19 k.fake >/dev/null || { echo "the next evaluation fails"; exit 1; }
echo "$rounds kills, $(wc -l <printed) records printed, each stored once"
