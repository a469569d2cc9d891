# Every tutorial and every how-to page is typed in, from top to bottom, in an empty folder: the commands work, and print
# what the page says. tests/e2e/pages.py has the rules. Parts for which this machine has no GPU or no nvcc are left out.
# san: no, candidates do the work
# long: 15 s
set -u
export PATH=${ASSAY%/*}:$PATH HOME=$PWD/home NO_COLOR=1
# The pages have the tree in ~/assay.
mkdir "$HOME" && ln -s "$ROOT" "$HOME/assay" || exit 1
have=()
: >empty.cu
"$ASSAY" eval --no-store level1/19 empty.cu >log 2>&1
case $?:$(cat log) in
5:*'no NVIDIA driver'*) have+=(no-GPU) ;;
5:*) echo "a driver and no device: $(cat log)" ;;
*) have+=(GPU) ;;
esac
! command -v nvcc >/dev/null || have+=(nvcc)
bad=0
for page in "$ROOT"/docs/tutorials/*.md "$ROOT"/docs/how-to/*.md; do
    mkdir folder && cd folder || exit 1
    "$ROOT/tests/e2e/pages.py" type "$page" "${have[@]}" || bad=1
    cd .. && rm -rf folder
done
case $bad:${have[*]} in
1:*) exit 1 ;;
*nvcc*) ;;
*) echo "no nvcc for a part of first-cuda-kernel.md"; exit 77 ;;
esac
