#!/bin/bash
# SPDX-License-Identifier: MIT
# Many evaluations of candidates in Python in one command, then kills at random moments: which resources grow, and what
# is left behind.
# usage: bench/soak_python.sh ASSAY [EVALUATIONS [KILLS]]
set -u
assay=$(realpath "$1") evals=${2:-500} kills=${3:-50}
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
export ASSAY_HOME=$work/home ASSAY_CACHE=$work/cache TMPDIR=$work/tmp ASSAY_SHARE=$root
mkdir "$TMPDIR"
mark=/assay-soak-$$ # in the environment of the judge and of all that it starts
forms=$root/tests/python/forms bad=0
kinds=(ok_model_new ok_temporary_file bad_zeros bad_segfault bad_raises_in_call ok_run bad_module bad_vanishes_import
    bad_forks bad_vanishes)
wrong() { echo "$1"; bad=1; }
ours() { grep -lsa "$mark" /proc/[0-9]*/environ | cut -d/ -f3; }
wait_for_none() { # those that were told to end take a moment
    local i
    for ((i = 0; i < 100; i++)); do
        [ -n "$(ours)" ] || return 0
        sleep 0.1
    done
    return 1
}
nothing_left() { # AFTER WHAT
    wait_for_none || wrong "$1: processes are left: $(ours | tr '\n' ' ')"
    [ "$(wc -l </proc/self/mounts)" = "$mounts" ] || wrong "$1: mounts are left"
    [ ! -e /dev/shm/candidate ] || wrong "$1: a candidate's folder is left"
    [ -z "$(find "$TMPDIR" "$ASSAY_CACHE/tmp" -mindepth 1 2>/dev/null)" ] || wrong "$1: temporary files are left"
}
judge() { # COUNT: so many candidates of all kinds; its pid
    local files=() i
    for ((i = 0; i < $1; i++)); do files+=("$forms/${kinds[i % ${#kinds[@]}]}.py"); done
    PATH=$PATH:$mark "$assay" eval level1/19 "${files[@]}" --device cpu --sizes small --check-only --json \
        >"$work/records.json" 2>"$work/err" &
    pid=$!
}
mounts=$(wc -l </proc/self/mounts)
judge 1
wait $pid || {
    grep -m 1 'no torch' "$work/records.json" "$work/err" && exit 77
    cat "$work/err"
    exit 1
}

SECONDS=0
judge "$evals"
python3 "$root/tests/python/watch.py" count $pid "$work/records.json" >"$work/rows"
wait $pid
echo "$evals evaluations in $SECONDS s: $(wc -l <"$work/records.json") records," \
    "$(grep -c '"verdict": *"infra"' "$work/records.json") infra"
[ "$(wc -l <"$work/records.json")" = "$evals" ] || wrong "records are missing"
! grep -q '"verdict": *"infra"' "$work/records.json" || wrong "an evaluation could not be judged"
# The most of the first and of the last third: one descriptor for each of 30 evaluations would show. Some come and go.
awk -v n="$evals" '{ third = $1 < n / 3 ? 1 : $1 < 2 * n / 3 ? 2 : 3 }
    { for (i = 2; i <= 6; i++) if ($i > most[third, i]) most[third, i] = $i }
    END { for (t = 1; t <= 3; t += 2)
              printf "%s third: descriptors %d and %d, MiB %.0f and %.0f (judge, zygote), runners %d\n",
                  t == 1 ? "first" : "last", most[t, 2], most[t, 3], most[t, 4], most[t, 5], most[t, 6]
          exit most[3, 2] - most[1, 2] > n / 3 + 8 || most[3, 3] - most[1, 3] > n / 3 + 8 }' "$work/rows" ||
    wrong "descriptors are left open"
nothing_left "$evals evaluations"

done_kills=0
for ((k = 0; k < kills; k++)); do
    who=$(printf '%s\n' judge zygote between runner | sed -n "$((k % 4 + 1))p")
    judge 20
    python3 "$root/tests/python/watch.py" kill "$who" $pid >/dev/null &&
        done_kills=$((done_kills + 1))
    wait $pid 2>/dev/null
    nothing_left "a kill of the $who"
done
if [ "$kills" -gt 0 ]; then
    judge 1
    wait $pid || wrong "the evaluation after the kills failed: $(cat "$work/err")"
    echo "$done_kills of $kills were killed (judge, zygote, the process between, runner in turn); the next evaluation works"
fi
exit $bad
