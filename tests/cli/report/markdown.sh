# Two samples of one model, the better one counts; a wrong one; a model that left a problem out passed 1 of 2, not
# 1 of 1; the file's mode is the umask's.
mkdir -p c/quick/level1_19 c/slow/level1_19 c/zero/level1_19
printf 'op relu\ntime 20us\n' >c/quick/level1_19/sample0.fake
printf 'op relu\ntime 10us\n' >c/quick/level1_19/sample1.fake
printf 'op relu\ntime 40us\n' >c/slow/level1_19/sample0.fake
printf 'op zeros\n' >c/zero/level1_19/sample0.fake
mkdir -p "c/~~some~~/level1_20" && printf 'op zeros\n' >"c/~~some~~/level1_20/sample0.fake"
"$ASSAY" run c --name fakes >run.txt 2>&1 || [ $? = 1 ] || { cat run.txt; exit 9; }
"$ASSAY" report fakes --markdown
umask 022
"$ASSAY" report fakes -o fakes.html && stat -c %a fakes.html && grep -c '<html' fakes.html
"$ASSAY" report fakes -o fakes.json && "$ASSAY" report fakes --json | cmp - fakes.json
"$ASSAY" report fakes -o fakes.md && head -n 1 fakes.md
