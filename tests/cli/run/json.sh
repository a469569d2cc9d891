mkdir -p gen/a/level1_19
printf 'op relu\n' >gen/a/level1_19/sample0.fake
printf 'op relu\nhang\n' >gen/a/level1_19/sample1.fake
"$ASSAY" run gen --name r --json --timeout 2000 2>/dev/null | sed 's/"seconds":[0-9.e-]*/"seconds":T/'
exit "${PIPESTATUS[0]}"
