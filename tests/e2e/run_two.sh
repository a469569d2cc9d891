# Two runs at once on one device wait for each other's timed calls; two starts of one run do not mix.
# long: 5 s
# covers: src/process/devlock.c src/run/lane.c
set -u
. "$ROOT/tests/e2e/waiting.bash"
mkdir -p gen/a/level1_19
for i in 0 1 2 3; do printf 'op relu\ntime 1%dus\n' $i >gen/a/level1_19/sample$i.fake; done
hold_device
"$ASSAY" run gen --name one --sizes small >one.out 2>one.err &
first=$!
"$ASSAY" run gen --name two --sizes small >two.out 2>two.err &
second=$!
await all_wait $first $second || { echo "they do not wait for the device"; cat /proc/locks; exit 1; }
sleep 0.1
let_go
wait $first || { cat one.err; exit 1; }
wait $second || { cat two.err; exit 1; }
waited=$(sqlite3 "$ASSAY_HOME/store.db" "select sum(json_extract(json, '\$.phases_ms.queue') >= 100) from records")
[ "$waited" -ge 2 ] || { echo "nobody waited: $waited"; exit 1; }
[ "$(sqlite3 "$ASSAY_HOME/store.db" 'select count(*) from records')" = 8 ] || exit 1

for i in 4 5 6; do printf 'op relu\ntime 1%dus\n' $i >gen/a/level1_19/sample$i.fake; done
hold_device # so that it is not over too soon
"$ASSAY" run gen --name one --sizes small >one.out 2>one.err &
first=$!
await all_wait $first || { echo "it does not wait for the device"; cat /proc/locks; exit 1; }
"$ASSAY" run gen --name one --sizes small >two.out 2>two.err && { echo "a second start was let in"; exit 1; }
grep -q 'run one is in progress in another process' two.err || { cat two.err; exit 1; }
let_go
wait $first || { cat one.err; exit 1; }
[ "$(sqlite3 "$ASSAY_HOME/store.db" "select count(*) from cells where run = 'one'")" = 7 ]
