# A candidate that was a link was followed: any file the judge may read landed in record and store.
mkdir -p real/a/level1_19 secret/level1_19
printf 'op relu\n# SECRET\n' >secret/level1_19/sample0.fake
printf 'op relu\n' >real/a/level1_19/sample0.fake
ln -s real gen # the folder that is named may be one
ln -s ../../../secret/level1_19/sample0.fake real/a/level1_19/sample1.fake
mkfifo real/a/level1_19/sample2.fake
ln -s ../secret real/b
ln -s ../../secret/level1_19 real/a/level1_20
ln -s ../secret/level1_19/sample0.fake real/level_1_problem_19_sample_0_kernel.fake
printf 'folders: gen\n' >plan.yaml
for what in gen plan.yaml; do
    "$ASSAY" run $what --name r-${what%.yaml} 2>err
    echo "exit $?"
    sed 's/in [0-9.]* s ([0-9.]* a second)/in T/; s/[0-9]* known from before/N known from before/' err
done
grep -rl SECRET "$ASSAY_HOME" && echo "the store has it"
"$ASSAY" eval level1/19 gen/a/level1_19/sample1.fake 2>&1 | grep -c ' pass ' # a file that is named is followed
