# A limit on the size of files ended the program by a signal, without a word.
mkdir -p gen/a/level1_19
printf 'op relu\n' >gen/a/level1_19/sample0.fake
(ulimit -f 16 && "$ASSAY" run gen --name r 2>err)
echo "exit $?"
[ -s err ] || echo "nothing was said"
"$ASSAY" run gen --name r 2>/dev/null
