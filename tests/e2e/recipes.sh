# shellcheck shell=bash
# Four recipes of CONTRIBUTING.md are complete: in a copy of the tree, edits of the files that they name, and of no other
# file, add a verdict reason, a record key, a device and an input law that work from the command line.
# san: no, compilers do the work
# slow: CONTRIBUTING.md tests/e2e/recipes.py src/device/device.h src/device/registry.c src/device/fake src/build/recipe.h src/judge/record.c docs/record.md docs/devices attacks/README.md src/terms/reasons.h src/terms/fault_name.c src/tensor src/problem/declare.c src/problem/emit.c src/problem/emit_torch.c src/process/rproc_order.c src/device/cuda/cuda_content.c tests/unit/test_fill.c tests/unit/test_verdict.c tests/unit/test_device.c tests/e2e/devices_here.py
set -u
reason="A verdict reason" key="A record key" device="A device" law="An input law"
here=$PWD
recipe() { python3 "$ROOT/tests/e2e/recipes.py" "$@" || exit 1; }
wrong() { echo "$1"; exit 1; }

# --- the copy: what git knows, and objects, so that make compiles only what changed ---
git -C "$ROOT" rev-parse --git-dir >/dev/null 2>&1 || { echo "no git history here"; exit 77; }
mkdir "$here/tree" && cd "$ROOT" || exit 1
git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
    [ ! -e "$file" ] || printf '%s\0' "$file"
done | xargs -0 cp -a --parents -t "$here/tree" || wrong "the tree cannot be copied"
mkdir "$here/tree/build" && cp -a "${ASSAY%/*}/obj" "$here/tree/build/" 2>/dev/null
cd "$here/tree" || exit 1
export ASSAY_SHARE=$here/tree
assay=$here/tree/build/assay

# --- the changes ---
recipe apply "$reason"
recipe apply "$key"
recipe apply "$device"
recipe apply "$law"
unset MAKEFLAGS MFLAGS MAKELEVEL # of the make that runs the tests
# Compiling takes most of the time, so it hardly optimises.
build() { # OPTIMISATION TARGET...
    make -s -j"$(nproc)" HOTFLAGS=-O1 WARN="$1 -g0 -Wall -Wextra -Werror -Wno-format-truncation" "${@:2}" >log 2>&1 ||
        { grep -A5 -E 'error|warning' log || cat log; wrong "the recipes' changes do not build"; }
}
# shellcheck disable=SC2016 # make expands it
tests=$(make -s --eval='which:; @echo $(filter %/test_fill %/test_verdict %/test_mock %/test_registry %/test_device %/test_fault_name,$(TESTS))' which)
build -O0 all
# shellcheck disable=SC2086 # they are words
build -O1 $tests build/gpu/test_cuda_judge build/bench/fill_gpu

# --- a verdict reason ---
page=docs/reasons.md
tests/run-tests build --update --only list/reasons >log 2>&1 || { cat log; wrong "list/reasons fails"; }
diff "$ROOT/$page" $page | grep '^[<>]' >log
# shellcheck disable=SC2016 # Markdown
[ "$(cat log)" = '> | `declined` | `assay_kernel` returned 77. |' ] || { cat log; wrong "$page is not one line longer"; }
tests/run-tests build --only eval/fake >log 2>&1 || { cat log; wrong "no candidate gets the new reason"; }

passes() { # TEST WHAT
    tests/run-tests build --only "$1" >log 2>&1 || { cat log; wrong "$2"; }
    grep -q '^[1-9][0-9]* passed, 0 failed, 0 skipped' log || { cat log; wrong "$1 did not run"; }
}

# --- a record key ---
passes eval/json "the record's keys are not those of its page"
printf 'op relu\n' >relu.fake
"$assay" eval --json level1/19 relu.fake 2>log | grep -qE '"warmups": *[1-9]' || { cat log; wrong "no record has the new key"; }

# --- a device ---
for test in e2e/devices e2e/attack_tables e2e/tests_of e2e/runner_symbols unknown_device; do
    passes $test "the new device is not complete"
done
"$assay" eval level1/19 exemplars/mock/level1/019_relu/relu.mock >log 2>&1 && grep -q '  pass ' log &&
    grep -q 'on mock' log || { cat log; wrong "the new device judges nothing"; }
printf 'op relu\nfault\n' >fault.mock
"$assay" eval level1/19 fault.mock >log 2>&1
grep -q 'crash: MOCK_ERROR_FAULT' log || { cat log; wrong "the new device's fault has no name"; }
for folder in attacks exemplars; do
    ROOT=$PWD ASSAY=$assay python3 tests/e2e/devices_here.py judged $folder | grep -qx mock || wrong "no test judges $folder/mock"
done
"$assay" attack --device mock >log 2>&1 || { cat log; wrong "attacks on the new device"; }

# --- an input law ---
cat >below.lua <<'L'
problem { "ReLU of negative numbers" }
sizes { full = { B = 4, N = 300 }, small = { B = 4, N = 300 } }
output("y", relu(input("x", f32, { B, N }, negative(1, 3))))
L
sed 's/negative(1, 3)/negative(1, 3), spread()/' below.lua >mixed.lua
"$assay" show below.lua | grep -q 'x .*negative(1, 3)' || wrong "show does not print the law"
"$assay" show below.lua --as torch | grep -qF -- '-torch.empty(' || wrong "PyTorch does not know the law"
sed 's/negative(1, 3)/negative(3)/' below.lua >usage.lua
"$assay" show usage.lua 2>&1 | grep -q 'write negative(low, high)' || wrong "a wrong call prints no usage"
printf 'op relu\ntime 10us\n' >relu.fake
printf 'op zeros\ntime 10us\n' >zeros.fake
verdicts=$(for problem in below.lua mixed.lua; do "$assay" eval --json "$problem" relu.fake zeros.fake 2>log; done |
    sed 's/.*"verdict": *"\([a-z]*\)".*/\1/' | tr '\n' ' ')
# Zeros are right where every number is negative, and only there: so the law was drawn.
[ "$verdicts" = "pass pass pass wrong " ] || { cat log; wrong "relu and zeros under the law: $verdicts"; }
rm -f ./*.lua ./*.fake ./*.mock

# --- their unit tests; the bits of a new law are fixed by what the test prints ---
for program in $tests; do
    case $program in
    */test_fill)
        bits=$("$program" 2>&1 | grep -oEm1 'negative: 0x[0-9A-F]{16}') # which ends the program, too
        [ -n "$bits" ] || wrong "test_fill does not print the bits of the new law"
        recipe bits "${bits/: /=}"
        build -O1 "$program"
        ;;
    esac
    "$program" >log 2>&1 || { cat log; wrong "$program fails"; }
done

rm -f log
recipe check "$ROOT" "$reason" "$key" "$device" "$law"
exit 0
