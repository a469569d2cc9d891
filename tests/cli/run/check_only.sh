# A limit of the checks of a size, and a run without timing.
mkdir -p gen/a/level1_19
printf 'op relu\nsleep 1200ms\n' >gen/a/level1_19/sample0.fake
printf 'op relu\n' >gen/a/level1_19/sample1.fake
"$ASSAY" run gen --name r --check-only --check-timeout 3000 2>/dev/null
sqlite3 "$ASSAY_HOME/store.db" 'select verdict, reason from records order by verdict'
