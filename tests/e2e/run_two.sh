# Two runs at once on one device wait for each other's timed calls; two starts of one run do not mix.
set -u
mkdir -p gen/a/level1_19
for i in 0 1 2 3; do printf 'op relu\ntime 1%dus\nsleep 2ms\n' $i >gen/a/level1_19/sample$i.fake; done
"$ASSAY" run gen --name one >one.out 2>one.err &
first=$!
"$ASSAY" run gen --name two >two.out 2>two.err &
second=$!
wait $first || { cat one.err; exit 1; }
wait $second || { cat two.err; exit 1; }
waited=$(sqlite3 "$ASSAY_HOME/store.db" "select sum(json_extract(json, '\$.phases_ms.queue') > 5) from records")
[ "$waited" -ge 2 ] || { echo "nobody waited: $waited"; exit 1; }
[ "$(sqlite3 "$ASSAY_HOME/store.db" 'select count(*) from records')" = 8 ] || exit 1

for i in 4 5 6; do printf 'op relu\ntime 1%dus\nsleep 5ms\n' $i >gen/a/level1_19/sample$i.fake; done
"$ASSAY" run gen --name one >one.out 2>one.err &
first=$!
for _ in $(seq 100); do # until it has begun
    [ "$(sqlite3 "$ASSAY_HOME/store.db" "select count(*) from cells where run = 'one'")" -gt 4 ] && break
    sleep 0.05
done
"$ASSAY" run gen --name one >two.out 2>two.err && { echo "a second start was let in"; exit 1; }
grep -q 'run one is going on in another process' two.err || { cat two.err; exit 1; }
wait $first
[ "$(sqlite3 "$ASSAY_HOME/store.db" "select count(*) from cells where run = 'one'")" = 7 ]
