mkdir -p "$ASSAY_HOME" gen/a/level1_19
printf 'op relu\n' >gen/a/level1_19/sample0.fake
sqlite3 "$ASSAY_HOME/store.db" 'pragma user_version = 99'
"$ASSAY" run gen --name r 2>&1 | sed "s|$ASSAY_HOME|HOME|"
exit "${PIPESTATUS[0]}"
