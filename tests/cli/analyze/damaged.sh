# A damaged store: what may never be NULL is. It was "there is no run 'r'; there are: (null)", exit status 3.
mkdir -p gen/a/level1_19
printf 'op relu\n' >gen/a/level1_19/sample0.fake
"$ASSAY" run gen --name r >/dev/null 2>&1
sqlite3 "$ASSAY_HOME/store.db" 'create table copy as select * from runs; drop table runs;
    alter table copy rename to runs; update runs set name = null'
"$ASSAY" analyze r 2>&1 | sed "s|$ASSAY_HOME|HOME|"
exit "${PIPESTATUS[0]}"
