# Drafts of problem files from modules in PyTorch. Those of all problems of levels 1 to 3, printed as PyTorch modules, give
# the same numbers as these to 1e-9, or name what they could not translate; and cases of our own (tests/ref/drafts.py).
# san: no, PyTorch does the work
# covers: workers/assay_python/draft.py workers/assay_python/draft_ops.py workers/assay_python/draft_layers.py
# covers: workers/assay_python/draft_text.py workers/assay_python/draft_lengths.py workers/assay_python/tracing.py
# slow: workers/assay_python/draft.py workers/assay_python/draft_ops.py workers/assay_python/draft_layers.py
# slow: workers/assay_python/draft_text.py workers/assay_python/draft_lengths.py workers/assay_python/tracing.py
# slow: src/problem problems tests/ref tests/e2e/drafts.sh
# long: 40 s
set -u
for python in ${ASSAY_PYTHON:-python3 /usr/bin/python3}; do
    "$python" -c 'import torch' 2>/dev/null && break
    python=
done
[ -n "${python:-}" ] || { echo "no torch"; exit 77; }
"$python" "$ROOT/tests/ref/drafts.py" "${ASSAY%/assay}" cases || bad=1
"$python" "$ROOT/tests/ref/drafts.py" "${ASSAY%/assay}" problems || bad=1
[ -z "${bad:-}" ]
