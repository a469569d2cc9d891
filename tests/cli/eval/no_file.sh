# Nothing was judged, and the exit status said that all had passed.
"$ASSAY" eval level1/19 level1/23
echo "exit $?"
"$ASSAY" eval level1/19 mine.txt # which is not there
echo "exit $?"
echo 'op relu' >k.fake
"$ASSAY" eval level1/19 k.fake level1/23
echo "exit $?"
