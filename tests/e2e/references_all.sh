# All references of tests/ref: 30 that are fine, and files that cannot be one.
# san: no, PyTorch does the work
# covers: workers/assay_python/reference.py src/judge/reference.c src/problem/described.c
# slow: src/judge/reference.c src/judge/reference.h src/problem/described.c workers/assay_python tests/ref tests/python/judge_references.py
# long: 90 s
set -u
bad=0
for kind in good bad; do
    python3 "$ROOT/tests/python/judge_references.py" "$ASSAY" "$ROOT/tests/ref" $kind || {
        [ $? != 77 ] || exit 77
        bad=1
    }
done
exit $bad
