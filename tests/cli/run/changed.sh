# Another content is judged again, in the same cell; the old record stays.
# covers: src/run/jobs.c
mkdir -p gen/a/level1_19
printf 'op zeros\n' >gen/a/level1_19/sample0.fake
"$ASSAY" run gen --name r 2>/dev/null
printf 'op relu\n' >gen/a/level1_19/sample0.fake
"$ASSAY" run gen --name r 2>/dev/null
echo "exit $?"
sqlite3 "$ASSAY_HOME/store.db" 'select count(*) from cells; select count(*) from records'
