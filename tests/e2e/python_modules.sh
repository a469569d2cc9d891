# Modules of twenty problems, written by hand in two dressings: with upstream's names of parameters, and with other names
# in another order. All are right (tests/python/modules).
# san: no, PyTorch does the work
# covers: workers/assay_python/binding.py src/problem/construct.c
# long: 20 s
set -u
exec python3 "$ROOT/tests/python/judge_forms.py" "$ASSAY" "$ROOT/tests/python/modules"
