# In a run with fixed weights a candidate that is not in Python is not judged, and its cell says why. The command line
# goes before the plan, and a run keeps its weights.
mkdir -p gen/a/level1_19
printf 'op relu\n' >gen/a/level1_19/sample0.fake
printf 'folders: gen\nname: r\nweights: fixed\n' >plan.yaml
"$ASSAY" run plan.yaml 2>err
echo "exit $?"
sed 's/in [0-9.]* s ([0-9.]* a second)/in T/' err
sqlite3 "$ASSAY_HOME/store.db" 'select skipped from cells; select name, weights from runs'
"$ASSAY" run plan.yaml --weights per_call 2>&1
echo "exit $?"
"$ASSAY" run plan.yaml --name usual --weights per_call >/dev/null 2>&1
echo "exit $?"
sqlite3 "$ASSAY_HOME/store.db" "select name, weights from runs; select verdict from records"
"$ASSAY" run plan.yaml --weights often 2>&1
echo "exit $?"
