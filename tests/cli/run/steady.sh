# A run is made steadily or not; the two are not mixed.
mkdir -p gen/a/level1_19
printf 'op relu\n' >gen/a/level1_19/sample0.fake
printf 'name: r\nsteady: true\nfolders: gen\n' >plan.yaml
"$ASSAY" run plan.yaml >/dev/null 2>&1 || echo "exit status $?"
sqlite3 "$ASSAY_HOME/store.db" "select json_extract(json, '$.plan.steady'), json_extract(json, '$.plan.runners') from records"
"$ASSAY" run gen --name r 2>&1
"$ASSAY" run gen --name r --steady 2>&1 | grep -c "was made"
"$ASSAY" run gen --name s >/dev/null 2>&1
"$ASSAY" run gen --name s --steady 2>&1
exit 0
