# KernelBench's run folder. Its Python files need torch; the others are judged without.
mkdir gen
printf 'op relu\n' >gen/level_1_problem_19_sample_0_kernel.fake
echo 'import torch' >gen/level_1_problem_19_sample_1_kernel.py
export LC_ALL=C ASSAY_PYTHON=/no/such/python
echo '{}' >gen/eval_results.json
"$ASSAY" run gen --name kb 2>err
status=$?
sed '/calibrated/d; s/in [0-9.]* s ([0-9.]* a second)/in T/' err
exit $status
