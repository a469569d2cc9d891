# KernelBench's run folder; its Python files are listed.
mkdir gen
printf 'op relu\n' >gen/level_1_problem_19_sample_0_kernel.fake
echo 'import torch' >gen/level_1_problem_19_sample_1_kernel.py
echo '{}' >gen/eval_results.json
"$ASSAY" run gen --name kb 2>err
status=$?
sed 's/in [0-9.]* s ([0-9.]* a second)/in T/' err
exit $status
