# Judged twice, changed, judged once: the second repeat was still that of the old file, and the sample half right.
mkdir -p gen/a/level1_19
printf 'op zeros\n' >gen/a/level1_19/sample0.fake
"$ASSAY" run gen --name r --repeats 2 2>/dev/null
printf 'op relu\n' >gen/a/level1_19/sample0.fake
"$ASSAY" run gen --name r 2>/dev/null
echo "exit $?"
"$ASSAY" run gen --name r --repeats 2 2>/dev/null
sqlite3 "$ASSAY_HOME/store.db" 'select count(*), count(distinct candidate_hash) from cells; select count(*) from records'
