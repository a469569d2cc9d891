# Ten seconds of random edits to files of baselines, which may be a stranger's.
# covers: src/results/shipped.c src/results/ship.c
# long: 10 s
set -u
seconds=1 # a sanitizer sees more
grep -q __asan_init "$ASSAY" && seconds=10
"${ASSAY%/assay}/fuzz/fuzz_shipped" --mutate "$seconds" "$ROOT/tests/fuzz/corpus/shipped" >out.txt 2>&1 || { tail -n 20 out.txt; exit 1; }
grep -q '^[0-9]* inputs made, [1-9][0-9]* accepted$' out.txt || { cat out.txt; exit 1; }
