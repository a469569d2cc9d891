# Two models, what cannot be judged, and a second start that finds everything known.
# covers: src/run/jobs.c src/run/lane.c src/cmd/run_text.c
mkdir -p gen/a/level1_19 gen/b/level1/19 gen/b/level1_998
printf 'op relu\ntime 10us\n' >gen/a/level1_19/sample0.fake
printf 'op relu\ntime 20us\n' >gen/a/level1_19/sample1.fake
printf 'op zeros\n' >gen/b/level1/19/sample0.fake
cp gen/a/level1_19/sample0.fake gen/b/level1/19/sample1.fake # the same file shares its record
printf 'op relu\ncrash SIGSEGV\n' >gen/b/level1/19/sample2.fake
echo 'fn main(): pass' >gen/b/level1/19/sample3.mojo
cp gen/a/level1_19/sample0.fake gen/b/level1_998/sample0.fake
echo 'int x;' >gen/b/level1/19/mine.c
for start in 1 2; do
    "$ASSAY" run gen --name first 2>err
    echo "exit $?"
    sed 's/in [0-9.]* s ([0-9.]* a second)/in T/' err
done
sqlite3 "$ASSAY_HOME/store.db" 'select count(*), count(distinct record) from cells; select count(*) from records'
