# Evaluations leave nothing behind: no process, no temporary file, no descriptor; verdicts of the next
# one are unaffected by crashes, hangs and floods before it.
# long: 5 s
set -u
. "$ROOT/tests/e2e/waiting.bash"
printf 'op relu\ntime 10us\n' >good.fake
printf 'op relu\nhang\n' >hang.fake
printf 'op relu\ncrash SIGSEGV\n' >segv.fake
printf 'op relu\nstderr 100MB\n' >loud.fake
printf 'op relu\nfork\n' >fork.fake
temporary() { find "$TMPDIR" "$ASSAY_CACHE" \( -name '*.tmp-*' -o -path '*/cache/tmp/*' -o -name 'assay-*' \) | wc -l; }
before=$(temporary)
for round in 1 2 3 4 5; do
    for k in hang segv loud fork; do
        "$ASSAY" eval --timeout 200 level1/19 $k.fake --check-only >/dev/null 2>&1
    done
    "$ASSAY" eval level1/19 good.fake >/dev/null || { echo "round $round: the good one failed"; exit 1; }
done
await no_runners || { echo "runners are left over"; pgrep -af assay-runner; exit 1; }
after=$(temporary)
[ "$before" = "$after" ] || { echo "temporary files: $before before, $after after"; exit 1; }
n=$(sqlite3 "$ASSAY_HOME/store.db" 'select count(*), count(distinct id) from records')
[ "$n" = "25|25" ] || { echo "records: $n"; exit 1; }
# A write outside its folder fails, and did not happen.
[ ! -e /tmp/assay-was-here ] || { echo "a candidate wrote to /tmp"; exit 1; }
