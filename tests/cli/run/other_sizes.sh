mkdir -p gen/a/level1_19
printf 'op relu\n' >gen/a/level1_19/sample0.fake
"$ASSAY" run gen --name r >/dev/null 2>&1
"$ASSAY" run gen --name r --sizes full
