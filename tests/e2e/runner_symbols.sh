# A runner holds nothing of the judge's: neither what compares and draws, nor the kernels for it. A candidate that shares
# its process would find them there.
set -u
command -v nm >/dev/null || { echo "no nm"; exit 77; }
lib=$(dirname "$ASSAY_RUNNER")/libjudge.a
[ -e "$lib" ] || { echo "no libjudge.a beside the runner"; exit 77; }
nm --defined-only "$lib" 2>/dev/null | awk '$2 == "T" { print $3 }' | sort -u >judge
devices=$(find "$ROOT"/src/device -mindepth 1 -maxdepth 1 -type d -printf '%f|')
# In the library for Python all but two functions are local (t).
for runner in "$ASSAY_RUNNER" "$(dirname "$ASSAY_RUNNER")/libassay-runner.so"; do
    nm --defined-only "$runner" | awk '$2 == "T" || $2 == "t" { print $3 }' | sort -u >runner
    [ -s runner ] && [ "$(wc -l <judge)" -gt 500 ] || { echo "nm finds no symbols"; wc -l runner judge; exit 1; }
    grep -qx runner_run runner || { echo "$runner: no runner_run"; exit 1; }
    comm -12 runner judge | grep -v '^device_' >both # the registry is in both
    # Of the folders that both sides share, by name. What a device has for the judge begins with the name of its folder.
    grep -E '^(compare_|fill_|hostmem_(alloc|fill|compare|poison|differ)|gpu_)' runner >>both
    nm "$runner" | awk '{ print $3 }' |
        grep -E "^(${devices%|})_(judge|arch|gauges|libraries|compare|fill|fingerprint|poison|differ|peek|rates|row_rms|load_program)" >>both
    [ ! -s both ] || { echo "$runner holds of the judge's:"; cat both; exit 1; }
    # No text of a kernel either.
    ! grep -q 'threadIdx' "$runner" || { echo "$runner holds the text of a kernel"; exit 1; }
done
# The judge opens what runners export, and exports nothing itself: any process of the machine could open that.
! grep -q cuIpcGetMemHandle "$ASSAY" || { echo "the judge can export memory"; exit 1; }
grep -q cuIpcGetMemHandle "$(dirname "$ASSAY_RUNNER")/libassay-runner.so" || { echo "a runner in Python cannot"; exit 1; }
