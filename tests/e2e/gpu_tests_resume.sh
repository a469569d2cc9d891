# tests/gpu/run goes on where its last call stopped, with stubs in place of programs that need a GPU.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
cat >"$work/bin/assay" <<'END'
#!/bin/sh
echo '[{"what": "cuda", "ok": true, "text": "a GPU"}]'
END
for name in test_cuda_judge test_gpu_problems test_cuda_passes test_cuda_runner test_cuda_evidence; do
    printf '#!/bin/sh\necho ran >>%s/ran\necho "2 passed, 0 failed, 0 skipped"\n' "$work" >"$work/bin/$name"
done
chmod +x "$work"/bin/*
bad=0
call() { # HOW OFTEN PROGRAMS RAN, STATUS, LAST LINE, OPTIONS...
    local ran=$1 status=$2 last=$3 got
    shift 3
    : >"$work/ran"
    "$ROOT/tests/gpu/run" "$ROOT" "$work/bin" --state "$work/state" --only programs "$@" >"$work/out" 2>&1
    got=$?
    [ "$got" = "$status" ] && [ "$(wc -l <"$work/ran")" = "$ran" ] && [ "$(tail -n 1 "$work/out")" = "$last" ] && return
    cat "$work/out"
    echo "FAILED: status $got, $(wc -l <"$work/ran") programs ran; expected $status, $ran, '$last'"
    bad=1
}
call 0 3 "0 passed, 0 failed, 5 skipped" --limit 0
echo row >"$work/state/proof.jsonl"
echo mine >"$work/state/mine"
call 0 3 "0 passed, 0 failed, 5 skipped" --limit 0
[ -e "$work/state/proof.jsonl" ] || { echo "FAILED: what a step that was not finished had kept is gone"; bad=1; }
call 5 0 "10 passed, 0 failed, 0 skipped"
call 0 0 "10 passed, 0 failed, 0 skipped"
call 5 0 "10 passed, 0 failed, 0 skipped" --again
echo "# another" >>"$work/bin/test_cuda_passes"
call 5 0 "10 passed, 0 failed, 0 skipped"
echo "exit 1" >>"$work/bin/test_cuda_judge"
call 5 1 "10 passed, 1 failed, 0 skipped"
[ ! -e "$work/state/proof.jsonl" ] || { echo "FAILED: rows of other programs were kept"; bad=1; }
[ -e "$work/state/mine" ] || { echo "FAILED: it took away what is not its own"; bad=1; }
exit $bad
