# Runs of other weights are not compared, but for baselines.
mkdir -p gen/a/level1_19
printf 'op relu\ntime 20us\n' >gen/a/level1_19/sample0.fake
"$ASSAY" run gen --name usual >/dev/null 2>&1
"$ASSAY" run gen --name fixed --weights fixed >/dev/null 2>&1
"$ASSAY" analyze fixed | head -1
"$ASSAY" analyze fixed --against usual 2>&1
echo "exit $?"
"$ASSAY" analyze fixed --baseline usual:a 2>&1
echo "exit $?"
"$ASSAY" report usual -o board.json && "$ASSAY" report fixed --beside board.json -o page.html 2>&1
echo "exit $?"
