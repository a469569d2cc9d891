# Two models; the first is the baseline. Claims of the fake device are exact.
mkdir -p gen/a/level1_19 gen/b/level1_19 gen/b/level1_20
printf 'op relu\ntime 20us\n' >gen/a/level1_19/sample0.fake
printf 'op relu\ntime 40us\n' >gen/a/level1_19/sample1.fake
printf 'op relu\ntime 10us\n' >gen/b/level1_19/sample0.fake
printf 'op zeros\n' >gen/b/level1_19/sample1.fake
printf 'op relu\n' >gen/b/level1_20/sample0.fake
"$ASSAY" run gen --name r >/dev/null 2>&1
"$ASSAY" analyze r --baseline a --cells
"$ASSAY" analyze r --csv
