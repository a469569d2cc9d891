mkdir -p gen/a/level1_19
printf 'op relu\ntime 20us\n' >gen/a/level1_19/sample0.fake
printf 'op zeros\n' >gen/a/level1_19/sample1.fake
printf 'op relu\ntime 7us\n' >gen/a/level1_19/sample2.fake
"$ASSAY" run gen --name one >/dev/null 2>&1
printf 'op relu\ntime 10us\n' >gen/a/level1_19/sample0.fake
printf 'op relu\n' >gen/a/level1_19/sample1.fake
printf 'op nan\n' >gen/a/level1_19/sample2.fake
"$ASSAY" run gen --name two >/dev/null 2>&1
"$ASSAY" analyze two --against one
