# Drafts of the 30 references of tests/ref: each is translated as a whole, loads, is admitted, and its reference passes as
# a candidate of it.
# san: no, PyTorch does the work
# covers: workers/assay_python/draft.py workers/assay_python/draft_ops.py workers/assay_python/draft_layers.py
# slow: workers/assay_python/draft.py workers/assay_python/draft_ops.py workers/assay_python/draft_layers.py
# slow: workers/assay_python/draft_text.py workers/assay_python/draft_lengths.py workers/assay_python/tracing.py
# slow: tests/ref tests/e2e/draft_references.sh
# long: 120 s
set -u
for python in ${ASSAY_PYTHON:-python3 /usr/bin/python3}; do
    "$python" -c 'import torch' 2>/dev/null && break
    python=
done
[ -n "${python:-}" ] || { echo "no torch"; exit 77; }
"$python" "$ROOT/tests/ref/drafts.py" "${ASSAY%/assay}" references
