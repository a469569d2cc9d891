# Ctrl-C in the middle of a build and of an evaluation: no process, no temporary file, a consistent store.
# covers: src/base/interrupt.c
set -u
. "$ROOT/tests/e2e/waiting.bash"
cat >slow.c <<'C'
#include "assay.h"
#define A(...) __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__
int table[] = {A(A(A(A(A(A(A(1,)))))))}; /* 2 million: seconds */
int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream) { return 0; }
C
printf 'op relu\nsleep 20ms\n' >slow.fake
for delay in 0.02 0.05 0.1 0.2 0.4; do
    for k in slow.c slow.fake; do
        setsid "$ASSAY" eval --no-cache --sizes small level1/19 $k >/dev/null 2>&1 &
        pid=$!
        sleep $delay
        kill -INT $pid 2>/dev/null
        wait $pid
        status=$?
        [ $status -le 5 ] || [ $status = 130 ] || { echo "$k after ${delay}s: exit $status"; exit 1; }
    done
done
building() { compgen -G "$ASSAY_CACHE/tmp/*" >/dev/null; }
setsid "$ASSAY" eval --no-cache --sizes small level1/19 slow.c >/dev/null 2>&1 &
pid=$!
await building || { echo "nothing is built"; exit 1; }
kill -INT $pid
wait $pid
status=$?
[ $status = 130 ] || { echo "a build that was interrupted: exit $status"; exit 1; }
# A compiler is known by its folder. All of them die with the program, in their own time.
no_processes() { no_runners && ! pgrep -f "$ASSAY_CACHE/" >/dev/null; }
await no_processes || { echo "processes left over"; pgrep -af "$ASSAY_CACHE/|assay-runner"; exit 1; }
left=$(find "$ASSAY_CACHE" "$TMPDIR" -name '*tmp*' -mindepth 1 -type f 2>/dev/null | head)
[ -z "$left" ] || { echo "left over: $left"; exit 1; }
left=$(find "$ASSAY_CACHE/tmp" -mindepth 1 2>/dev/null | head)
[ -z "$left" ] || { echo "build folders left over: $left"; exit 1; }
[ "$(sqlite3 "$ASSAY_HOME/store.db" 'pragma integrity_check')" = ok ] || { echo "store is damaged"; exit 1; }
