# A plan; one of its candidates is for a problem that nobody knows.
# covers: src/run/plan_file.c src/cmd/run_text.c
mkdir -p gen/a/level1_19
printf 'op relu\n' >gen/a/level1_19/sample0.fake
printf 'op relu\nwrong\n' >own.fake
cat >plan.yaml <<'Y'
name: night
sizes: small
repeats: 2
limits: { call_ms: 500 }
folders: gen
candidates:
  - { model: b, problem: level1/19, file: own.fake }
  - { model: b, problem: level1/019_rely, sample: 1, file: own.fake }
Y
"$ASSAY" run plan.yaml 2>err
status=$?
sed 's/in [0-9.]* s ([0-9.]* a second)/in T/' err
exit $status
