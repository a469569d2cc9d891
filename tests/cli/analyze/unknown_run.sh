mkdir -p gen/a/level1_19
printf 'op relu\n' >gen/a/level1_19/sample0.fake
"$ASSAY" run gen --name one >/dev/null 2>&1
"$ASSAY" analyze tow
