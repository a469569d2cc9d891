mkdir -p gen/a/level1_19
printf 'op relu\n' >gen/a/level1_19/sample0.fake
printf 'int x;\n' >gen/a/level1_19/sample0.c
printf 'op relu\n' >gen/a/level1_19/sample1.fake
"$ASSAY" run gen --name r 2>err
status=$?
sed 's/in [0-9.]* s ([0-9.]* a second)/in T/' err
exit $status
