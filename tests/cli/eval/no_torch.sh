export LC_ALL=C ASSAY_PYTHON=/no/such/python
"$ASSAY" eval level1/19 torch:eager --device cpu 2>&1 | grep -v calibrated
echo "exit ${PIPESTATUS[0]}"
