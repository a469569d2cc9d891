# kill -9 of judge, zygote or runner at any moment leaves no process, no folder and no mount, and the next evaluation
# works.
# san: no, PyTorch does the work
# covers: src/process/zygote.c workers/zygote.py
# long: 40 s
set -u
bad=0
killed=0
mark=/assay-test-$$
cat >relu.py <<'END'
import torch
def run(x): return torch.relu(x)
END
judge() { PATH=$PATH:$mark "$ASSAY" eval level1/19 relu.py relu.py relu.py --device cpu --sizes small --no-store; }
ours() { grep -lsa "$mark" /proc/[0-9]*/environ | cut -d/ -f3; } # the mark is in the environment of all that is started
judge >out.txt 2>&1 || {
    grep -q 'no torch' out.txt && { grep -m 1 'no torch' out.txt; exit 77; }
    cat out.txt
    exit 1
}
victims() { # judge | zygote | runner: pids
    for pid in $(ours); do
        name=$(tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null)
        inside=$(sed -n 's/^NSpid:.*\t\(.*\)/\1/p' "/proc/$pid/status" 2>/dev/null)
        case $1:$name in
        judge:*assay\ eval*) echo "$pid" ;;
        zygote:*zygote.py*) [ "$inside" = 1 ] || echo "$pid" ;;
        runner:*zygote.py*) [ "$inside" != 1 ] || echo "$pid" ;;
        esac
    done
}
for round in 1 2 3 4 5 6 7 8 9; do
    judge >out.txt 2>&1 &
    command=$!
    case $((round % 3)) in 0) who=judge ;; 1) who=zygote ;; 2) who=runner ;; esac
    sleep "$((RANDOM % 2)).$((RANDOM % 9))"
    while kill -0 $command 2>/dev/null && [ -z "$(victims "$who")" ]; do sleep 0.02; done # it is about to come
    victim=$(victims "$who" | head -n 1)
    [ -n "$victim" ] && kill -9 "$victim" 2>/dev/null && killed=$((killed + 1))
    wait $command 2>/dev/null
    for _ in $(seq 100); do
        [ -z "$(ours)" ] && break
        sleep 0.1
    done
    [ -z "$(ours)" ] || { echo "$who killed: left $(ours | tr '\n' ' ')"; bad=1; }
    grep -q assay-scratch /proc/self/mounts && { echo "$who killed: a mount is left"; bad=1; }
done
[ $killed -ge 3 ] || { echo "only $killed of 9 were there to be killed"; bad=1; }
[ ! -e /dev/shm/candidate ] || { echo "a folder is left"; bad=1; }
judge >out.txt 2>&1 || { cat out.txt; bad=1; }
exit $bad
