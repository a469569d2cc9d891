# Compiled and not judged: the run afterwards finds every build in the cache.
# covers: src/run/lane.c src/build/prebuild.c
mkdir -p gen/a/level1_19 gen/b/level1_19
cp "$ROOT/exemplars/cpu/level1/019_relu/fast.c" gen/a/level1_19/sample0.c
cp gen/a/level1_19/sample0.c gen/b/level1_19/sample0.c
echo 'int x = y;' >gen/a/level1_19/sample1.c
"$ASSAY" run gen --name r --check-only --build-only 2>err
echo "exit $?"
grep -v calibrated err | sed 's/in [0-9.]* s/in T/'
"$ASSAY" run gen --name r --check-only --build-only --json 2>/dev/null | sed 's/"seconds":[0-9.]*/"seconds":T/'
"$ASSAY" run gen --name r --check-only >/dev/null 2>&1
sqlite3 "$ASSAY_HOME/store.db" "select verdict, json_extract(json, '$.build.cached') from records order by 1"
