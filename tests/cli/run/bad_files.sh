# 50 MB, a link to nowhere, a pipe, a suffix that the device does not take: the rest goes on.
mkdir -p gen/a/level1_19
truncate -s 50M gen/a/level1_19/sample0.fake
ln -s nowhere gen/a/level1_19/sample1.fake
mkfifo gen/a/level1_19/sample2.fake
printf 'int x;\n' >gen/a/level1_19/sample3.c
printf 'op relu\n' >gen/a/level1_19/sample4.fake
"$ASSAY" run gen --name r --device fake 2>err
status=$?
sed 's/in [0-9.]* s ([0-9.]* a second)/in T/' err
exit $status
