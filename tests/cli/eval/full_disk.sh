# The third write of this evaluation fails: one line, nothing half-written, and the next one is fine.
printf 'op relu\n' >k.fake
ASSAY_FAULT=write:2 "$ASSAY" eval level1/19 k.fake --check-only 2>&1 | sed "s|$ASSAY_HOME|HOME|"
sqlite3 "$ASSAY_HOME/store.db" 'select count(*) from records'
"$ASSAY" eval level1/19 k.fake --check-only
sqlite3 "$ASSAY_HOME/store.db" 'select count(*) from records'
